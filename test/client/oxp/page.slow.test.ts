/** The examples of docs/oxp-client.md: type-checked, and run in Node against a server with the tools that they call. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Block, blocksOf, ROOT } from "../../docs/blocks.ts";
import { BINDINGS } from "../../support/node/files.ts";
import { type Long, serveLong, WORKFLOW } from "../../support/node/long.ts";
import { execFile } from "../../support/node/processes.ts";
import { systemNode } from "../../support/node/system-node.ts";
import { typeErrors } from "../../support/node/type-errors.ts";

const EXAMPLES = blocksOf("docs/oxp-client.md").filter(({ language }) => language === "ts");
const CLIENT = join(ROOT, "src/client/oxp.ts");
/** Inside the project, so that the types of Node are found. */
const TESTS = join(ROOT, ".wrangler/tests");

let folder: string;
let server: Long;
/** Written with several endings. The client is found by its path. */
const file = ({ line }: Block, ending: string) => join(folder, `${line}.${ending}`);
const textOf = ({ text }: Block) => text.replace('"trivet/oxp"', JSON.stringify(CLIENT));
beforeAll(async () => {
  mkdirSync(TESTS, { recursive: true });
  folder = mkdtempSync(join(TESTS, "oxp-client-"));
  const pages = ["docs/tasks.md", "docs/files.md", "docs/requirements.md"].flatMap((page) => blocksOf(page));
  const toolOf = (name: string) => [name, pages.find(({ path }) => path === `tools/${name}`)?.text ?? ""];
  const others = ["orchard/count.ts", "tables/count.ts", "parcels/track.ts"].map(toolOf);
  const add = readFileSync(join(ROOT, "test/fixtures/samples/calculator/add.ts"), "utf8");
  const tools = { "calculator/add.ts": add, ...Object.fromEntries(others) };
  server = await serveLong({ tools, more: WORKFLOW + BINDINGS });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

it("has no mistake in its types", () => {
  for (const example of EXAMPLES) writeFileSync(file(example, "ts"), textOf(example));
  const all = join(folder, "all.ts");
  writeFileSync(all, EXAMPLES.map((example) => `import ${JSON.stringify(file(example, "ts"))};\n`).join(""));
  expect(typeErrors(all, "es2022", "node")).toBe("");
});

it.each(EXAMPLES)("$at prints what it says", async (example) => {
  const contents = textOf(example).replace("http://127.0.0.1:8787", server.url);
  const outfile = file(example, "mjs");
  await build({ stdin: { contents, resolveDir: folder, loader: "ts" }, bundle: true, format: "esm", outfile });
  const { stdout } = await promisify(execFile)(systemNode(), [outfile]);
  const said = [...example.text.matchAll(/^(?:.*; )?\/\/ (.+)$/gm)].map(([, printed]) => printed);
  expect(said.length).toBeGreaterThan(0);
  expect(stdout.trim().split("\n")).toEqual(said);
});
