/**
 * `npm start` as its author sees it: the log in words, stacks in the lines of tools/, the real exception in every
 * protocol, breakpoints, and a folder that was removed and made again. A deployment says none of it.
 */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attach } from "../../support/node/debugger.ts";
import { type Fork, freePort, makeFork, type Started, serveBuilt, start, until } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { execFile } from "../../support/node/processes.ts";

const SECRET = "a-very-secret-value";
/** Line 7 throws, line 8 is the breakpoint's. */
const BREAK = `import * as v from "valibot";
import { defineTool } from "#tool";
import { frob } from "./_frob.ts";

export default defineTool({ version: "1.0.0", description: "Fails.", input: v.object({ key: v.pipe(v.string(), v.description("K.")) }),
  requirements: { secrets: ["FIXTURE_SECRET"] },
  async run({ key }, ctx) { await Promise.resolve(); frob(ctx.secrets.FIXTURE_SECRET, key);
    return key.length;
  },
});
`;
const FROB = `export function frob(secret: string, key: string): void {
  if (key === "fine") return;
  const cause = new RangeError(\`the disk is full of \${secret}\`);
  throw new TypeError(\`cannot frob \${secret}\`, { cause });
}
`;
const PROMPT = `import { definePrompt } from "#tool";
export default definePrompt({ description: "Fails.", get() { throw new Error("no words"); } });
`;
const TEXTS = `import { defineTool } from "#tool";
import html from "./page.html";
import md from "./page.md";
import txt from "./page.txt";

export default defineTool({ version: "1.0.0", description: "Joins.", run: () => [html.length, md.trim(), txt.trim()].join() });
`;
const TEXT = {
  "text/join.ts": TEXTS,
  "text/page.html": "<p>hi</p>",
  "text/page.md": "# Hi\n",
  "text/page.txt": "hi\n",
};
/** Returns what it has not declared, and a secret. */
const WRONG = `import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({ version: "1.0.0", description: "Is wrong.", requirements: { secrets: ["FIXTURE_SECRET"] },
  input: v.object({ how: v.pipe(v.string(), v.description("H.")) }),
  output: v.object({ found: v.array(v.object({ count: v.number() })), next: v.optional(v.string()) }),
  run: ({ how }, ctx) => ({ found: [{ count: (how === "secret" ? ctx.secrets.FIXTURE_SECRET : how) as never }] }),
});
`;
const TOOLS = {
  "kit/wrong.ts": WRONG,
  "kit/break.ts": BREAK,
  "kit/_frob.ts": FROB,
  "kit/say.prompt.ts": PROMPT,
  ...TEXT,
};
/** What the author is told, with the secret removed. */
const REAL = "TypeError: cannot frob [redacted] (caused by RangeError: the disk is full of [redacted])";
const HIDDEN = "The tool failed because of an internal error.";

/** The developer message of a failing call over each protocol, and of a prompt. */
async function developerMessages(url: string): Promise<unknown[]> {
  const rpc = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
  const oxp = await postJson(`${url}/tools/call`, { request: { tool_id: "Kit.Break", input: { key: "x" } } });
  const call = rpc(1, "tools/call", { name: "Kit_Break", arguments: { key: "x" } });
  const mcp = await postJson(`${url}/mcp`, call);
  const opentool = await postJson(`${url}/opentool/call`, { ...rpc(1, "Kit_Break", { key: "x" }), id: "1" });
  const prompt = await postJson(`${url}/mcp`, rpc(2, "prompts/get", { name: "Kit_Say" }));
  const messages = [oxp.body.result.error.message, mcp.body.result.content[0].text, opentool.body.error.message];
  expect(messages).toEqual([HIDDEN, HIDDEN, HIDDEN]);
  return [
    oxp.body.result.error.developer_message,
    mcp.body.result._meta.developer_message,
    opentool.body.error.data.developer_message,
    prompt.body.error.data?.developer_message,
  ];
}

describe("npm start", () => {
  let fork: Fork;
  let served: Started;
  let inspector: number;
  beforeAll(async () => {
    fork = makeFork(TOOLS);
    fork.write(".dev.vars", `FIXTURE_SECRET="${SECRET}"\n`);
    inspector = await freePort();
    served = await start(fork, "start", ["--inspector-port", String(inspector)]);
  });
  afterAll(async () => {
    await served?.stop();
    fork?.remove();
  });
  const call = (tool: string, input: object) =>
    postJson(`${served.url}/tools/call`, { request: { tool_id: tool, input } });
  /** Waits until the output has the text, because a log line may come after the response. */
  const prints = (text: string | RegExp) =>
    until(async () => (typeof text === "string" ? served.printed().includes(text) : text.test(served.printed())));

  it("greets with the tools, the three addresses and how to connect", async () => {
    await prints("npm run connect");
    expect(served.printed()).toContain(`discovered 3 tools and 1 prompt
  kit   Kit.Break, Kit.Wrong, Kit_Say (prompt)
  text  Text.Join

  OXP       ${served.url}/tools
  MCP       ${served.url}/mcp
  OpenTool  ${served.url}/opentool/load
`);
    // Each answers as it is printed, /mcp with its own message for a GET.
    for (const path of ["/tools", "/opentool/load"]) expect((await fetch(served.url + path)).status).toBe(200);
  });

  it("tells npm run connect its port", async () => {
    const connect = promisify(execFile)(process.execPath, ["src/cli/connect.ts", "curl"], { cwd: fork.root });
    expect((await connect).stdout).toContain(`curl -s "${served.url}/tools"`);
  });

  it("has the real exception in the developer message of all three protocols and of prompts, without secrets", async () => {
    expect(await developerMessages(served.url)).toEqual([REAL, REAL, REAL, "Error: no words"]);
  });

  it("logs a call on one line: time, tool, outcome, duration, protocol, and why it failed", async () => {
    await call("Kit.Break", { key: "fine" });
    await prints(/^\d\d:\d\d:\d\d {2}Kit\.Break@1\.0\.0 {2}completed {2}\d+ ms {2}oxp$/m);
    await call("Kit.Break", { key: 1 });
    await prints(
      /^\S+ {2}Kit\.Break@1\.0\.0 {2}invalid {2}\d+ ms {2}oxp {2}tools\/kit\/break\.ts: key: Must be a string$/m,
    );
    await call("Kit.Brake", {});
    await prints(/^\S+ {2}\(no tool\) {2}refused \(unknown tool\) {2}\d+ ms {2}oxp {2}Kit\.Brake \(npm run discover/m);
  });

  it("logs an exception with its cause and the lines of tools/, without JSON, colours and secrets", async () => {
    await call("Kit.Break", { key: "x" });
    const stack = `  TypeError: cannot frob [redacted]
      at frob (tools/kit/_frob.ts:4:9)
      at Object.run (tools/kit/break.ts:7:54)
  caused by RangeError: the disk is full of [redacted]
      at frob (tools/kit/_frob.ts:3:17)
`;
    await prints(stack);
    const log = served.printed().split("docs/debugging.md")[1] ?? "";
    expect(log).not.toMatch(/^\{/m);
    expect(log).not.toContain("\u001b[3");
    expect(served.printed()).not.toContain(SECRET);
  });

  it("says which member of a result is wrong, what was expected and what came, without frames of the framework", async () => {
    const said = 'found.0.count: Must be a number, and is "many"';
    const { body } = await call("Kit.Wrong", { how: "many" });
    expect(body.result.error).toMatchObject({ developer_message: said });
    const head =
      /^\S+ {2}Kit\.Wrong@1\.0\.0 {2}The tool's result does not match its declared output\. {2}tools\/kit\/wrong\.ts\n/;
    await prints(new RegExp(`${head.source} {2}Error: ${RegExp.escape(said)}\n\\d\\d:`, "m"));
    const { body: hidden } = await call("Kit.Wrong", { how: "secret" });
    expect(hidden.result.error.developer_message).toContain('and is "[redacted]"');
    const { body: long } = await call("Kit.Wrong", { how: "x".repeat(1_000) });
    expect(long.result.error.developer_message.length).toBeLessThan(200);
  });

  it("serves .html, .md and .txt files that a tool imports as text", async () => {
    expect((await call("Text.Join", {})).body.result.value).toBe("9,# Hi,hi");
  });

  it("stops at a breakpoint in a file of tools/, which its source map names", async () => {
    const debug = await attach(inspector);
    try {
      await debug.breakAt(join(fork.root, "tools/kit/break.ts"), 8);
      const calling = call("Kit.Break", { key: "fine" });
      expect(await debug.valueWhenStopped("key + key")).toBe("finefine");
      expect((await calling).body.result.value).toBe(4);
    } finally {
      debug.close();
    }
  });

  it("hears changes after tools/ was removed and made again", async () => {
    rmSync(join(fork.root, "tools"), { recursive: true });
    await until(async () => (await call("Kit.Break", { key: "fine" })).status === 400);
    mkdirSync(join(fork.root, "tools"));
    const answer = (text: string) =>
      fork.write(
        "tools/kit/say.ts",
        BREAK.replace(/^import \{ frob.*$/m, "")
          .replace(/await.*$/m, text)
          .replace(/requirements.*$/m, ""),
      );
    answer("");
    await until(async () => (await call("Kit.Say", { key: "four" })).body.result?.value === 4);
    const keyed = async (call_id: string) => {
      const request = { tool_id: "Kit.Say", call_id, input: { key: "four" } };
      const { headers, body } = await postJson(`${served.url}/tools/call`, { request });
      return { value: body.result?.value, replayed: headers.get("idempotency-replayed") };
    };
    // wrangler starts the Worker and its watcher again when it hears of the folder, a moment later.
    let id = "";
    await until(async () => {
      id = crypto.randomUUID();
      expect(await keyed(id)).toEqual({ value: 4, replayed: null });
      return (await keyed(id)).replayed === "true";
    });
    const saving = setInterval(() => answer("key += key;"), 5_000);
    answer("key += key;");
    await until(async () => (await call("Kit.Say", { key: "four" })).body.result?.value === 8).finally(() =>
      clearInterval(saving),
    );
    // The result of the tool as it was before is not replayed.
    expect(await keyed(id)).toEqual({ value: 8, replayed: null });
  });
});

it("a deployment has the same texts", async () => {
  const fork = makeFork(TEXT);
  const served = await serveBuilt(fork);
  try {
    const { body } = await postJson(`${served.url}/tools/call`, { request: { tool_id: "Text.Join", input: {} } });
    expect(body.result.value).toBe("9,# Hi,hi");
  } finally {
    await served.stop();
    fork.remove();
  }
});

describe("what a deployment logs and says, here in npm run start:closed", () => {
  it("logs JSON, and tells no caller the exception", async () => {
    const fork = makeFork(TOOLS);
    fork.write(".dev.vars", `FIXTURE_SECRET="${SECRET}"\n`);
    const served = await start(fork, "start:closed");
    try {
      expect(await developerMessages(served.url)).toEqual([undefined, undefined, undefined, undefined]);
      const wrong = { tool_id: "Kit.Wrong", input: { how: "many" } };
      const { body } = await postJson(`${served.url}/tools/call`, { request: wrong });
      expect(body.result.error.developer_message).toBe("found.0.count: Must be a number");
      await until(async () => served.printed().split('"message":"call"').length > 4);
      const lines = served
        .printed()
        .split("\n")
        .filter((line) => line.startsWith("{"));
      const entries = lines.map((line) => JSON.parse(line));
      expect(entries.find(({ message }) => message === "call")).not.toHaveProperty("detail");
      const cause = { name: "RangeError", message: "the disk is full of [redacted]" };
      expect(entries).toContainEqual(
        expect.objectContaining({
          error: expect.objectContaining({ name: "TypeError", cause: expect.objectContaining(cause) }),
        }),
      );
      expect(served.printed()).not.toContain(SECRET);
    } finally {
      await served.stop();
      fork.remove();
    }
  });
});
