/**
 * Other projects that import the clients, as docs/clients.md says: one is linked to a fork by npm, one installs what npm
 * packs. They are compiled, bundled and run against the fork's server. `tools.ts` is written by `npm run client`.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { blocksOf } from "../docs/blocks.ts";
import { type Fork, makeFork, type Served, serveBuilt } from "../support/node/fork.ts";
import { execFile, execFileSync, spawnSync } from "../support/node/processes.ts";
import { systemNode } from "../support/node/system-node.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const NAMES = Object.keys(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).exports).map((name) =>
  name.replace(/^\./, "trivet"),
);
const PACKAGE = { name: "consumer", type: "module" };

/** Prints what two tools return. Its address and the place of `tools` are put in. */
const PROGRAM = `import { OxpClient } from "trivet/oxp";
import { typedClient } from "trivet/typed";
import { tools } from "./tools.TS";

const client = typedClient(new OxpClient({ url: "URL" }), tools);
const sum: number = await client.math.add({ a: 1, b: 2 });
const nothing: void = await client.outputs.nothing();
const versions = [await client.versions.number(), await client.versions["number@2.0.0"]()];
console.log(JSON.stringify({ sum, isNothing: nothing == null, versions }));
`;
const PRINTED = { sum: 3, isNothing: true, versions: ["10.0.0", "2.0.0"] };

let fork: Fork;
let served: Served;
/** Inside the project, so that the compiler finds the types of platforms, which a consumer has for itself. */
let consumer: string;
beforeAll(async () => {
  fork = makeFork("test/fixtures/tools");
  // A tool has it in its `env`.
  fork.write(".dev.vars.example", "FIXTURE_SETTING=\n");
  served = await serveBuilt(fork);
  // So that it shows whether discovery runs again.
  rmSync(join(fork.root, "src/generated"), { recursive: true, force: true });
  const tests = join(ROOT, ".wrangler/tests");
  mkdirSync(tests, { recursive: true });
  consumer = mkdtempSync(join(tests, "consumer-"));
  write("package.json", JSON.stringify(PACKAGE));
  npm(consumer, "install", "--offline", fork.root);
  const words = ["src/cli/client.ts", "--url", served.url, "--out", join(consumer, "tools.ts")];
  await started(process.execPath, words, { cwd: fork.root });
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
  rmSync(consumer, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFileSync(join(consumer, name), text);
const program = (extension: "ts" | "js") => PROGRAM.replace("URL", served.url).replace("TS", extension);

/** Runs npm as another project does: without the settings of the npm that runs these tests. */
function npm(folder: string, ...words: string[]): string {
  const env = Object.entries(process.env).filter(([name]) => !/^npm_|^(INIT_CWD|NODE)$/i.test(name));
  const { status, stdout, stderr } = spawnSync("npm", words, {
    cwd: folder,
    env: Object.fromEntries(env),
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ${words.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** @returns what the compiler prints: "" if nothing is wrong */
function tsc(...words: string[]): string {
  const strict = "--ignoreConfig --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022";
  const { stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), [...strict.split(" "), ...words], {
    cwd: consumer,
    encoding: "utf8",
  });
  return stdout + stderr;
}

/** The server answers in this process, so no call of it may wait for a program. */
const started = promisify(execFile);
const run = async (node: string, file: string): Promise<unknown> =>
  JSON.parse((await started(node, [join(consumer, file)])).stdout);

describe("npm install ../fork", () => {
  it("builds the clients, and does nothing else in the fork", () => {
    expect(existsSync(join(fork.root, "dist/client/oxp.js"))).toBe(true);
    expect(existsSync(join(fork.root, "src/generated"))).toBe(false);
  });

  it("refuses a fork whose own packages are not installed, since nothing can build the clients", () => {
    const bare = makeFork({});
    rmSync(join(bare.root, "node_modules"));
    const other = mkdtempSync(join(ROOT, ".wrangler/tests/consumer-"));
    writeFileSync(join(other, "package.json"), JSON.stringify(PACKAGE));
    expect(() => npm(other, "install", "--offline", bare.root)).toThrow(
      `The clients in ${bare.root} are not built: run \`npm install\` there first.`,
    );
    rmSync(other, { recursive: true });
    bare.remove();
  });
});

describe("runs", () => {
  it.each([
    ["this project's Node", process.execPath],
    ["the machine's Node", systemNode()],
  ])("every client in %s", async (_, node) => {
    const imports = NAMES.map((name) => `[${JSON.stringify(name)}, Object.keys(await import("${name}")).length > 0]`);
    write("all.js", `console.log(JSON.stringify([${imports}]));`);
    expect(await run(node, "all.js")).toEqual(NAMES.map((name) => [name, true]));
  });

  it("a TypeScript program in Node 24, which strips its types", async () => {
    write("program.ts", program("ts"));
    expect(await run(process.execPath, "program.ts")).toEqual(PRINTED);
  });

  it("the program of docs/clients.md, which has no mistake in its types", async () => {
    const [block] = blocksOf("docs/clients.md").filter(({ language }) => language === "ts");
    // Of the tools there, this fork has another that adds.
    const text = block?.text.replace("http://127.0.0.1:8787", served.url).replace("calculator", "math") ?? "";
    write("documented.ts", text);
    const types = ["--module", "nodenext", "--types", "node", "--noEmit", "--allowImportingTsExtensions"];
    expect(tsc(...types, "documented.ts")).toBe("");
    expect((await started(process.execPath, [join(consumer, "documented.ts")])).stdout).toBe("3.00\n");
  });

  it("a compiled program in the machine's Node", async () => {
    write("compiled.ts", program("js"));
    expect(tsc("--module", "nodenext", "--types", "node", "--outDir", "out", "compiled.ts")).toBe("");
    expect(await run(systemNode(), "out/compiled.js")).toEqual(PRINTED);
  });

  it("a bundle for browsers", async () => {
    write("browser.ts", program("js"));
    const { warnings, metafile } = await build({
      ...{ absWorkingDir: consumer, entryPoints: ["browser.ts"], outfile: "browser.mjs" },
      ...{ bundle: true, format: "esm", platform: "browser", metafile: true, logLevel: "silent" },
    });
    expect(warnings).toEqual([]);
    expect(Object.keys(metafile.inputs).filter((path) => !/dist\/client\/|browser\.ts|tools\.ts/.test(path))).toEqual(
      [],
    );
    expect(await run(process.execPath, "browser.mjs")).toEqual(PRINTED);
  });

  it("a Worker that wrangler bundles", async () => {
    const body = PROGRAM.replace("URL", served.url).replace("./tools.TS", "./tools.ts");
    const [imports = "", code = ""] = body.split("\n\n");
    const answer = code.replace(/console\.log\(JSON\.stringify\((.*)\)\);/, "return Response.json($1);");
    write("worker.ts", `${imports}\nexport default { async fetch(): Promise<Response> {\n${answer}\n} };\n`);
    write("wrangler.toml", 'name = "consumer"\nmain = "worker.ts"\ncompatibility_date = "2026-10-01"\n');
    const harness = createTestHarness({ root: consumer, workers: [{ configPath: "./wrangler.toml" }] });
    try {
      const { url } = await harness.listen();
      expect(await (await fetch(url)).json()).toEqual(PRINTED);
    } finally {
      await harness.close();
    }
  });
});

describe("has types", () => {
  const PLATFORMS = [
    ["browsers", "es2022,dom", ""],
    ["Node", "es2022", "node"],
    ["Workers", "es2022", "@cloudflare/workers-types"],
  ] as const;
  const MODULES = [
    ["nodenext", ["--module", "nodenext"]],
    ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ] as const;
  const WRONG = `
export async function wrong() {
  // @ts-expect-error a text is not a number
  await client.math.add({ a: "1", b: 2 });
  // @ts-expect-error one is missing
  await client.math.add({ a: 1 });
  // @ts-expect-error misspelled
  await client.math.add({ a: 1, b: 2, c: 3 });
  // @ts-expect-error there is no input
  await client.math.add();
  // @ts-expect-error it takes none
  await client.outputs.nothing({ a: 1 });
  // @ts-expect-error there is no such tool
  await client.math.subtract({ a: 1, b: 2 });
  // @ts-expect-error there is no such toolkit
  await client.maths.add({ a: 1, b: 2 });
  // @ts-expect-error it returns a number
  const text: string = await client.math.add({ a: 1, b: 2 });
  // @ts-expect-error nothing is known of what it returns
  const length: number = (await client.echo.any({ value: [] })).length;
  // @ts-expect-error none of the choices
  await client.failing.faults({ how: "loudly" });
  // @ts-expect-error there is no such version
  await client.versions["number@3.0.0"]();
  // @ts-expect-error a misspelled option
  await client.math.add({ a: 1, b: 2 }, { callid: "a" });
  // Right, lest everything is wrong.
  const options = { callId: "a", signal: new AbortController().signal, context: { secrets: [{ id: "A", value: "b" }] } };
  await client.math.add({ a: 1, b: 2 }, options);
  await client.failing.faults({ how: "wait" });
  await client.echo.upload({ keys: ["a"] as const });
  return { text, length };
}
`;

  describe.each(MODULES)("with the module resolution %s", (_, modules) => {
    it.each(PLATFORMS)("for %s, whose own files are checked as well", (_, lib, types) => {
      const imports = NAMES.map((name, at) => `export * as all${at} from "${name}";\n`).join("");
      write("types.ts", imports + program("js").replace(/console.*\n/, "export { sum, nothing, versions };\n") + WRONG);
      const words = ["--noEmit", "--skipLibCheck", "false", "--lib", lib, "--types", types, "types.ts"];
      expect(tsc(...modules, ...words)).toBe("");
    });
  });
});

it("what npm packs has the clients and no scripts, and runs nothing when it is installed", () => {
  const folder = mkdtempSync(join(ROOT, ".wrangler/tests/packed-"));
  try {
    const [{ filename, files }] = JSON.parse(npm(fork.root, "pack", "--json", "--ignore-scripts"));
    const others = files.filter(({ path }: { path: string }) => !/^dist\/client\/.*\.(js|d\.ts)$/.test(path));
    expect(others.map(({ path }: { path: string }) => path)).toEqual(["package.json"]);
    execFileSync("tar", ["-xzf", join(fork.root, filename), "-C", folder]);
    // Where npm puts it. Its dependencies, which the clients do not need, would take the network.
    mkdirSync(join(folder, "node_modules"));
    execFileSync("mv", [join(folder, "package"), join(folder, "node_modules/trivet")]);
    const names = `import { typedClient } from "trivet/typed"; console.log(typeof typedClient);`;
    writeFileSync(join(folder, "program.mjs"), names);
    expect(execFileSync(systemNode(), [join(folder, "program.mjs")], { encoding: "utf8" })).toBe("function\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
