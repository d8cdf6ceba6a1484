/**
 * Runs every fenced block of the documentation, in one fork and on one running Worker (CONTRIBUTING.md, Documentation,
 * says what kinds of blocks there are).
 */

import { promisify } from "node:util";
import { UriTemplate } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIGURES } from "../figures.ts";
import { testSettings } from "../support/node/fork.ts";
import { postJson } from "../support/node/http.ts";
import { execFile } from "../support/node/processes.ts";
import { isAsWritten } from "./answers.ts";
import { BLOCKS, type Block, blocksIn, notRun } from "./blocks.ts";
import { commandsIn, isCurl, isQuick, mistakeIn } from "./commands.ts";
import {
  contextFor,
  type Documented,
  isOfAccount,
  type ListedTool,
  runTestBlocks,
  serveDocumented,
  WRITTEN_URL,
} from "./documented.ts";
import { exampleOf } from "./examples.ts";
import { complaints, merged } from "./settings.ts";
import { hasTerminal, rewrite, runInTerminal, type Step, stepsOf, updates } from "./transcript.ts";

/** What a caller gets for a mistake of the tool's: an exception that is not a ToolError, or a result that does not fit. */
const MISTAKE = /^The tool('s (result|input check) | failed because of an internal error| could not be loaded)/;
/** JSON-RPC 2.0, section 5.1. */
const INTERNAL_ERROR = -32_603;
const LANGUAGES = ["ts", "html", "md", "sql", "sh", "console", "json", "toml"];

let documented: Documented;
beforeAll(async () => {
  documented = await serveDocumented();
});
afterAll(() => documented?.stop());

const cases = (language: string) => blocksIn(language).map((block) => [block.at, block] as const);

/** Whether a page calls the tool, and so says itself how it answers. */
function isCalledOnAPage(id: string): boolean {
  const [name = ""] = id.split("@");
  const names = [`"${name}"`, `"${name.replace(".", "_")}"`];
  return blocksIn("sh").some(({ text }) => names.some((called) => text.includes(called)));
}

describe("ts: type-checked, and discovered where the text names a file in tools/", () => {
  it.each(cases("ts"))("%s", (at, { path, text }) => {
    expect(documented.typeErrors.get(at)).toBeUndefined();
    const others = blocksIn("ts").filter((other) => other.path !== undefined && other.path === path);
    const different = others.filter((other) => other.text !== text).map((other) => other.at);
    expect(different, `other pages have another ${path}: choose another name`).toEqual([]);
  });

  it("nothing else in the fork has a type error because of them", () => {
    expect(documented.typeErrors.get("")).toBeUndefined();
  });

  it("every tool answers a call with an input that its schema allows", async () => {
    const { tools } = (await (await fetch(`${documented.url}/tools`)).json()) as { tools: ListedTool[] };
    expect(tools.length).toBeGreaterThan(5);
    const faults: unknown[] = [];
    for (const tool of tools.filter((tool) => !isCalledOnAPage(tool.id) && !isOfAccount(tool))) {
      const input = exampleOf(tool.input_schema.parameters);
      const request = { tool_id: tool.id, input, context: contextFor(tool) };
      const { status, body } = await postJson(`${documented.url}/tools/call`, { request });
      // A tool may refuse the input with a ToolError, and a caller over OXP cannot be asked.
      const isAnswer = status === 200 ? !MISTAKE.test(body.result.error?.message ?? "") : status === 400;
      if (!isAnswer) faults.push({ tool: tool.id, input, status, body });
    }
    expect(faults).toEqual([]);
  });
});

it("every prompt and resource answers over MCP", async () => {
  const faults: unknown[] = [];
  const mcp = async (method: string, params: object = {}) => {
    const { body } = await postJson(`${documented.url}/mcp`, { jsonrpc: "2.0", id: 1, method, params });
    // Only our own mistakes: there may be no resource for the value that is read here.
    if (body.error?.code === INTERNAL_ERROR) faults.push({ method, params, error: body.error });
    return body.result;
  };
  const { prompts } = await mcp("prompts/list");
  for (const { name, arguments: declared = [] } of prompts) {
    const values = declared.map((argument: { name: string }) => [argument.name, "text"]);
    await mcp("prompts/get", { name, arguments: Object.fromEntries(values) });
  }
  const { resources } = await mcp("resources/list");
  const { resourceTemplates } = await mcp("resources/templates/list");
  for (const { uri } of resources) await mcp("resources/read", { uri });
  for (const { uriTemplate } of resourceTemplates) {
    const template = new UriTemplate(uriTemplate);
    const values = Object.fromEntries(template.variableNames.map((name) => [name, "text"]));
    await mcp("resources/read", { uri: template.expand(values) });
  }
  expect(prompts.length + resources.length + resourceTemplates.length).toBeGreaterThan(1);
  expect(faults).toEqual([]);
});

it("tests among the blocks pass", async () => {
  const ran = await runTestBlocks(documented);
  expect(ran?.failed ?? []).toEqual([]);
  if (ran !== undefined) expect(ran.tests).toBeGreaterThan(0);
});

describe("sh: curl is run; of other commands, the quick ones are run, and the others exist", () => {
  it.each(cases("sh"))("%s", async (at, { text }) => {
    const answer = BLOCKS.find((next) => next.previous?.at === at && ["json", "text"].includes(next.language));
    const commands = commandsIn(text);
    for (const command of commands) {
      if (isCurl(command)) await curl(command, command === commands.at(-1) ? answer : undefined);
      else if (isQuick(command)) expect(documented.printed.get(command), command).toBeDefined();
      else expect(mistakeIn(command), command).toBeUndefined();
    }
  });
});

describe.skipIf(!hasTerminal)("console: commands with what they print, in a terminal", () => {
  it.each(cases("console"))("%s", async (at, block) => {
    // What the pages attach.
    documented.fork.write("q3.csv", "month,sales\nJuly,12\nAugust,9\n");
    // As `npm start` says where it serves.
    const serving = JSON.stringify({ url: documented.url, pid: process.pid });
    documented.fork.write("src/generated/dev/serving.json", serving);
    const ran: Step[] = [];
    for (const { command, printed } of stepsOf(block.text)) {
      const here = command.replaceAll(WRITTEN_URL, documented.url);
      const seen = await runInTerminal({ command: here, printed }, documented.fork.root);
      const said = seen.replaceAll(documented.url, "http://127.0.0.1:8787");
      ran.push({ command, printed: isAsWritten(said, printed) ? printed : said });
    }
    if (updates) rewrite(block, ran);
    else expect(ran, `${at}: UPDATE_TRANSCRIPTS=1 writes it anew`).toEqual(stepsOf(block.text));
  });
});

/** Runs a command of a page against the Worker. `written`, if there is one, must be its answer. */
async function curl(command: string, written: Block | undefined): Promise<void> {
  expect(command.replaceAll(WRITTEN_URL, ""), "only http://127.0.0.1:8787 is served").not.toMatch(/https?:\/\/\S+/);
  const here = command.replaceAll(WRITTEN_URL, documented.url).replace("curl ", "curl -sS --fail-with-body ");
  const { stdout, failed } = await promisify(execFile)("sh", ["-c", here]).then(
    ({ stdout }) => ({ stdout, failed: "" }),
    (error) => ({ stdout: String(error.stdout), failed: String(error.message) }),
  );
  // A page may show an error, but then it says which.
  if (written === undefined) expect(failed, stdout).toBe("");
  else if (!isAsWritten(stdout, written.text)) expect(stdout.trim(), written.at).toBe(written.text.trim());
}

describe("json: the answer of the block before it, or true by itself", () => {
  it.each(cases("json"))("%s", async (_, { text, previous, note }) => {
    if (note === "a line of the log") return expectLogged(text);
    const value = JSON.parse(text);
    expect(value).toBeTypeOf("object");
    if (previous?.language === "sh" && notRun(previous) === undefined) return;
    for (const [url] of text.matchAll(/http:\/\/(127\.0\.0\.1|localhost):8787[^"\s]*/g)) {
      const { status } = await postJson(url.replace(WRITTEN_URL, documented.url), {});
      expect(status, url).not.toBe(404);
    }
  });
});

/** The Worker has logged a line with the members that are written, and no others. */
async function expectLogged(text: string): Promise<void> {
  const written = JSON.parse(text);
  const shapes = documented.logs().flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
  const alike = shapes.filter(({ message, outcome }) => message === written.message && outcome === written.outcome);
  const names = alike.map((entry) => Object.keys(entry));
  expect(names).toContainEqual(Object.keys(written));
}

describe("toml: wrangler and Trivet read it as part of wrangler.toml", () => {
  it.each(cases("toml"))("%s", (_, { text }) => {
    expect(complaints(documented.fork, merged(testSettings(), text))).toEqual([]);
  });
});

describe("blocks that are not run", () => {
  const excused = BLOCKS.flatMap((block) => {
    const reason = notRun(block);
    return reason === undefined ? [] : [{ at: block.at, reason: reason.replaceAll(/\s+/g, " ") }];
  });

  it.each(excused)("$at: $reason", ({ reason }) => {
    expect(reason.split(" ").length, "a reason that a reviewer can judge").toBeGreaterThan(1);
  });

  it("are as few as last counted", () => {
    expect(excused.length, "test/figures.ts, blocksNotRun").toBeLessThanOrEqual(FIGURES.blocksNotRun);
  });

  it("are all that have another language", () => {
    const others = BLOCKS.filter((block) => {
      const isAnswer = block.language === "text" && block.previous?.language === "sh";
      return !LANGUAGES.includes(block.language) && !isAnswer && notRun(block) === undefined;
    });
    expect(others.map(({ at, language }) => `${at} (${language}) needs <!-- not run: REASON --> before it`)).toEqual(
      [],
    );
  });
});
