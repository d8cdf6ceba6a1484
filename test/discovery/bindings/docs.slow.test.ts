/** Bindings in local mode: the tools and the migration of docs/data.md, a bucket, and the types of Workers AI. */

import { appendFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fork, makeFork, type Started, start } from "../../support/node/fork.ts";
import { execFileSync, spawnSync } from "../../support/node/processes.ts";

const DOCS = readFileSync(resolve(import.meta.dirname, "../../../docs/data.md"), "utf8");
const blocks = (language: string) =>
  [...DOCS.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, text = ""]) => text);
/** The tools on D1, by their path in `tools/`, which is their first line. */
const ON_D1 = Object.fromEntries(
  blocks("ts").flatMap((text) => {
    const [, path] = /^\/\/ tools\/(.*)\n/.exec(text) ?? [];
    return path === undefined ? [] : [[path, text]];
  }),
);
const [d1 = ""] = blocks("toml");
const [migration = ""] = blocks("sql");

const HEAD = 'import * as v from "valibot";\nimport { defineTool } from "#tool";\n';
const TEXT = 'text: v.pipe(v.string(), v.description("The text."))';
const saveFile = `${HEAD}export default defineTool({
  version: "1.0.0",
  description: "Saves a text file, and returns its size in bytes.",
  input: v.object({ name: v.pipe(v.string(), v.description("The file's name.")), ${TEXT} }),
  env: ["SHOP_FILES"],
  run: async ({ name, text }, { env }) => (await env.SHOP_FILES.put(name, text))?.size ?? 0,
});
`;
const r2 = '[[r2_buckets]]\nbinding = "SHOP_FILES"\nbucket_name = "shop-files"\n';
const summarize = `${HEAD}export default defineTool({
  version: "1.0.0",
  description: "Summarizes a text in a few sentences.",
  input: v.object({ ${TEXT} }),
  env: ["AI"],
  run: async ({ text }, { env }) =>
    (await env.AI.run("@cf/facebook/bart-large-cnn", { input_text: text })).summary,
});
`;
const ai = '[ai]\nbinding = "AI"\n';

let fork: Fork;
let server: Started;

beforeAll(async () => {
  fork = makeFork({ ...ON_D1, "shop/save-file.ts": saveFile });
  appendFileSync(join(fork.root, "wrangler.toml"), `\n${d1}\n${r2}`);
  fork.write("migrations/0001_orders.sql", migration);
  const command = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", "state"];
  const wrangler = "node_modules/wrangler/bin/wrangler.js";
  execFileSync(process.execPath, [wrangler, ...command], { cwd: fork.root, stdio: "pipe" });
  server = await start(fork);
});

afterAll(async () => {
  await server?.stop();
  fork?.remove();
});

async function call(tool: string, input: object): Promise<unknown> {
  const response = await fetch(`${server.url}/tools/call`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: tool, input } }),
  });
  return ((await response.json()) as { result: { value: unknown } }).result.value;
}

it("the page has two tools", () => {
  expect(Object.keys(ON_D1)).toEqual(["shop/order.ts", "shop/spent.ts"]);
});

it("D1: a tool reads what the other wrote, in the tables of the migration", async () => {
  expect(await call("Shop.Order", { customer: "Ann", total: 12.5 })).toEqual({ id: 1 });
  expect(await call("Shop.Order", { customer: "Ann", total: 30 })).toEqual({ id: 2 });
  expect(await call("Shop.Spent", { customer: "Ann" })).toBe(42.5);
  expect(await call("Shop.Spent", { customer: "Bob" })).toBe(0);
});

it("R2: the tool saves a file", async () => {
  expect(await call("Shop.SaveFile", { name: "a.txt", text: "Grüße" })).toBe(7);
});

it("Workers AI and the others need no cast: the fork passes the type checker, and a mistake does not", () => {
  // A model needs an account, so this tool is only checked.
  fork.write("tools/shop/summarize.ts", summarize);
  fork.write(
    "tools/shop/wrong.ts",
    summarize.replace(/^ *\(await.*\.summary/m, (line) => `// @ts-expect-error\n${line}s`),
  );
  appendFileSync(join(fork.root, "wrangler.toml"), `\n${ai}`);
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: fork.root, encoding: "utf8" }).stdout;
  expect(run("src/discovery/cli.ts")).toContain("discovered 5 tools");
  expect(run("node_modules/typescript/bin/tsc", "-p", ".")).toBe("");
});
