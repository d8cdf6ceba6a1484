/**
 * Runs every fenced block of the documentation, in one fork and on one running Worker (CONTRIBUTING.md, Documentation,
 * says what kinds of blocks there are).
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIGURES } from "../figures.ts";
import { testSettings } from "../support/node/fork.ts";
import { postJson } from "../support/node/http.ts";
import { isAsWritten } from "./answers.ts";
import { BLOCKS, blocksIn, notRun } from "./blocks.ts";
import { commandsIn, isCurl, isQuick, mistakeIn } from "./commands.ts";
import { contextFor, type Documented, type ListedTool, serveDocumented, WRITTEN_URL } from "./documented.ts";
import { exampleOf } from "./examples.ts";
import { complaints, merged } from "./settings.ts";

/** What a caller gets for an exception that is not a ToolError. */
const INTERNAL = "The tool failed because of an internal error.";
const LANGUAGES = ["ts", "sh", "json", "toml"];

let documented: Documented;
beforeAll(async () => {
  documented = await serveDocumented();
});
afterAll(() => documented?.stop());

const cases = (language: string) => blocksIn(language).map((block) => [block.at, block] as const);

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
    for (const tool of tools) {
      const input = exampleOf(tool.input_schema.parameters);
      const request = { tool_id: tool.id, input, context: contextFor(tool) };
      const { status, body } = await postJson(`${documented.url}/tools/call`, { request });
      // A tool may refuse the input with a ToolError, and a caller over OXP cannot be asked.
      const isAnswer = status === 200 ? body.result.error?.message !== INTERNAL : status === 400;
      if (!isAnswer) faults.push({ tool: tool.id, input, status, body });
    }
    expect(faults).toEqual([]);
  });
});

describe("sh: curl is run; of other commands, the quick ones are run, and the others exist", () => {
  it.each(cases("sh"))("%s", async (at, { text }) => {
    for (const command of commandsIn(text)) {
      if (isCurl(command)) await curl(at, command);
      else if (isQuick(command)) expect(documented.printed.get(command), command).toBeDefined();
      else expect(mistakeIn(command), command).toBeUndefined();
    }
  });
});

/** Runs a command of a page against the Worker, and compares its answer with the block that follows, if there is one. */
async function curl(at: string, command: string): Promise<void> {
  expect(command.replaceAll(WRITTEN_URL, ""), "only http://127.0.0.1:8787 is served").not.toMatch(/https?:\/\/\S+/);
  const here = command.replaceAll(WRITTEN_URL, documented.url);
  const { stdout } = await promisify(execFile)("sh", ["-c", `${here.replace("curl ", "curl -sS --fail-with-body ")}`]).catch(
    // A refusal may be what the page shows.
    (error) => ({ stdout: String(error.stdout) }),
  );
  const written = BLOCKS.find(({ previous, language }) => previous?.at === at && ["json", "text"].includes(language));
  if (written === undefined) expect(stdout).not.toMatch(/^$|404 Not Found/);
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
    expect(complaints(merged(testSettings(), text))).toEqual([]);
  });
});

describe("blocks that are not run", () => {
  const excused = BLOCKS.flatMap((block) => notRun(block)?.replace(/^/, `${block.at}: `) ?? []);

  it("say why, and are as few as last counted", () => {
    console.log(`${excused.length} blocks are not run:\n${excused.join("\n")}`);
    expect(excused.length, excused.join("\n")).toBeLessThanOrEqual(FIGURES.blocksNotRun);
  });

  it("are all that have another language", () => {
    const others = BLOCKS.filter((block) => {
      const isAnswer = block.language === "text" && block.previous?.language === "sh";
      return !LANGUAGES.includes(block.language) && !isAnswer && notRun(block) === undefined;
    });
    expect(others.map(({ at, language }) => `${at} (${language}) needs <!-- not run: REASON --> before it`)).toEqual([]);
  });
});
