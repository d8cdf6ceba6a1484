/** Which files a call runs through, and how often: no step twice, and no detours. V8's coverage counts functions. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle } from "../support/node/bundle.ts";
import { makeFork, testSettings } from "../support/node/fork.ts";
import type { Counted, Ran, Served } from "./coverage-thread.ts";
import { manyTools } from "./forks.ts";
import { BOTH, MODERN, mcpRequest } from "./mcp.ts";
import type { Request } from "./wire.ts";

const ASKS = `import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Asks.",
  input: v.object({}),
  output: v.string(),
  async run(_, ctx) {
    const { action } = await ctx.elicit("sure", { message: "Sure?", fields: {} });
    return action;
  },
});
`;
const KEY = Buffer.alloc(32, 1).toString("base64url");
const VARS = { PUBLIC: "true", RATE_PER_MINUTE: "", LOG_CALLS: "false", SIGNING_KEY: KEY, CLAIMS: {} };

let folder: string;
let code: string;
let thread: Worker;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "trivet-executed-"));
  // Not minified: then each part of the bundle begins with a comment that names its file.
  const settings = testSettings().replace(/^minify = true$/m, "");
  const fork = makeFork({ ...manyTools(1), "sums/asks.ts": ASKS }, { settings });
  await bundle(fork.root, folder);
  fork.remove();
  const path = join(folder, "index.js");
  code = readFileSync(path, "utf8");
  // workerd has them: `toHex`, `toBase64`.
  setFlagsFromString("--js-base-64");
  const served: Served = { url: pathToFileURL(path).href, env: VARS };
  thread = new Worker(new URL("coverage-thread.ts", import.meta.url), { workerData: served });
  await once(thread, "message");
});
afterAll(async () => {
  await thread?.terminate();
  rmSync(folder, { recursive: true, force: true });
});

/** How often each function of src ran for a request, by its file and name. */
async function executedBy({
  method,
  path,
  headers,
  body,
}: Request): Promise<{ body: string; times: Map<string, number> }> {
  const text = JSON.stringify(body);
  const json = { "content-type": "application/json", "content-length": String(text.length), accept: BOTH };
  const init = { method, headers: { ...json, ...headers }, body: text };
  thread.postMessage({ path, init } satisfies Counted);
  const [ran] = (await once(thread, "message")) as [Ran];
  const files = [...code.matchAll(/^ *\/\/ (\S+\.[mc]?[jt]s)$/gm)].map(({ index, 1: file = "" }) => ({ index, file }));
  const times = new Map<string, number>();
  for (const { name, start, times: count } of ran.functions) {
    const file = files.findLast(({ index }) => index <= start)?.file ?? "";
    const own = /(?:^|\/)(src\/(?!generated).*)/.exec(file)?.[1];
    if (own) times.set(`${own} ${name}`, (times.get(`${own} ${name}`) ?? 0) + count);
  }
  return { body: ran.body, times };
}

const CAN_FORM = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
const ADD = { tool_id: "Sums.Add", input: { a: 1, b: 2 } };
const CALLS: readonly [string, Request, string, number][] = [
  ["an OXP call", { method: "POST", path: "/tools/call", body: { request: ADD } }, '"value":3', 26],
  [
    "a plain MCP call of 2026-07-28",
    mcpRequest(MODERN, "tools/call", { name: "Sums_Add", arguments: { a: 1, b: 2 } }),
    '"structuredContent":3',
    38,
  ],
  [
    "one that asks",
    mcpRequest(MODERN, "tools/call", { name: "Sums_Asks", arguments: {}, _meta: CAN_FORM }),
    "input_required",
    48,
  ],
];

it.each(CALLS)(
  "%s finds its tool once, enters the line once, and runs through few files",
  async (what, call, answer, most) => {
    const { body, times } = await executedBy(call);
    expect(body).toContain(answer);
    const files = [...new Set(Array.from(times.keys(), (name) => name.slice(0, name.indexOf(" "))))].sort();
    console.log(`${what}: ${files.length} files, ${times.size} functions: ${files.join(" ")}`);
    // The first step that `execute` does itself: V8 counts an async function again whenever it goes on.
    expect(times.get("src/core/call/execute.ts load")).toBe(1);
    expect(times.get("src/core/catalog/catalog.ts find")).toBe(1);
    expect(files.length).toBeLessThanOrEqual(most);
  },
);
