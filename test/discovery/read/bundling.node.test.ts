/** What wrangler bundles and runs, discovery accepts, and what `npm start` serves and a deployment run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WORKER_GLOBALS } from "../../../src/discovery/lib/worker-globals.ts";
import { bundle } from "../../support/node/bundle.ts";
import { FILES, idOf, RETURNED, SETTINGS, withPaths, writePackages } from "../../support/node/bundling-cases.ts";
import { runDiscovery } from "../../support/node/discovery.ts";
import { type Fork, makeFork, type Served, serveDist } from "../../support/node/fork.ts";

let folder: string;
let fork: Fork;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trivet-bundling-"));
  writePackages(join(folder, "node_modules"));
  fork = makeFork({}, { settings: SETTINGS, parent: folder });
  for (const [path, text] of Object.entries(FILES)) fork.write(path, text);
  fork.write("tsconfig.json", withPaths(fork.read("tsconfig.json")));
  fork.write(
    "tools/worker.ts",
    `import { defineWorker } from "#tool";
const names = new Set<string>();
for (let at = globalThis; at !== Object.prototype; at = Object.getPrototypeOf(at))
  for (const name of Object.getOwnPropertyNames(at)) names.add(name);
export default defineWorker({ routes: (app) => app.get("/globals", (context) => context.json([...names])) });
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ["a deployment", {}],
  ["npm start", { WRANGLER_COMMAND: "dev" }],
])("%s", (_, env) => {
  let server: Served;
  beforeAll(async () => {
    await bundle(fork.root, join(fork.root, "dist"), env);
    server = await serveDist(fork, SETTINGS);
  });
  afterAll(() => server?.stop());

  it.each(Object.entries(RETURNED))("%s", async (name, value) => {
    const body = JSON.stringify({ request: { tool_id: idOf(name), input: {} } });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${server.url}/tools/call`, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({ result: { value } });
  });

  it("has no global that is missing when a definition loads", async () => {
    const names = (await (await fetch(`${server.url}/globals`)).json()) as string[];
    expect(names.filter((name) => !(name in globalThis)).sort()).toEqual([...WORKER_GLOBALS, "self"].sort());
  });
});

describe("discovery", () => {
  const discovered = async (files: Readonly<Record<string, string>>, settings = SETTINGS) => {
    const other = makeFork(files, { settings, parent: folder });
    const { code, stderr } = await runDiscovery(join(other.root, "tools"), join(other.root, "catalog.ts"));
    return code === 0 ? "accepted" : stderr;
  };
  const importing = (head: string) =>
    `${head};\nimport { defineTool } from "#tool";\n` +
    'export default defineTool({ version: "1.0.0", description: "Adds.", run: () => 1 });';

  it("compiles a module of WebAssembly while its file loads, as wrangler does before", async () => {
    const head = 'import empty from "./empty.wasm"; import same from "./empty.wasm?module"';
    const tool = importing(
      `${head};\nif (!(empty instanceof WebAssembly.Module && same)) throw new Error("no module")`,
    );
    const module = "\0asm\u0001\0\0\0";
    expect(await discovered({ "kit/add.ts": tool, "kit/empty.wasm": module })).toBe("accepted");
  });

  it.each([
    [".csv", ' (for bytes: type = "Data")'],
    [".md", ""],
  ])("says which rule a %s file needs", async (end, data) => {
    const files = { "kit/add.ts": importing(`import text from "./names${end}"`), [`kit/names${end}`]: "a" };
    const said = await discovered(files, SETTINGS.replace(/^\[\[rules\]\]\n(\w.*\n)+/gm, ""));
    expect(said).toContain(`tools/kit/add.ts:1\n  problem: it cannot be loaded: it imports a ${end} file`);
    expect(said).toContain(`[[rules]] with type = "Text", globs = ["**/*${end}"] and fallthrough = true${data}\n`);
  });

  it("refuses what wrangler refuses: a rule after one of its type without fallthrough", async () => {
    const settings = SETTINGS.replace("fallthrough = true", "fallthrough = false");
    const files = { "kit/add.ts": importing('import text from "./names.txt"'), "kit/names.txt": "a" };
    expect(await discovered(files, settings)).toContain('an earlier rule with type = "Text" lacks fallthrough = true');
  });

  it("refuses an alias that leads nowhere", async () => {
    const settings = SETTINGS.replace("_word.ts", "_wrod.ts");
    expect(await discovered({ "kit/add.ts": importing('import "~word"') }, settings)).toContain("_wrod.ts");
  });
});
