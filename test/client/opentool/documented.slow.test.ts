/** The programs of docs/opentool.md, as they are written: type-checked, and run against a server of ours. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, notRun, ROOT } from "../../docs/blocks.ts";
import { type Fork, makeFork, type ServedBuilt, serveBuilt } from "../../support/node/fork.ts";
import { execFile } from "../../support/node/processes.ts";
import { systemNode } from "../../support/node/system-node.ts";
import { typeErrors } from "../../support/node/type-errors.ts";

const PROGRAMS = blocksOf("docs/opentool.md").filter((block) => block.language === "ts" && notRun(block) !== undefined);
/** Inside the project, so that the types of Node are found. */
const TESTS = join(ROOT, ".wrangler/tests");
let folder: string;
let fork: Fork;
let server: ServedBuilt;
beforeAll(async () => {
  mkdirSync(TESTS, { recursive: true });
  folder = mkdtempSync(join(TESTS, "opentool-"));
  // As a project has it that installed this one.
  const installed = join(folder, "node_modules/trivet");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "package.json"), '{ "type": "module", "exports": { "./opentool": "./opentool.ts" } }');
  writeFileSync(join(installed, "opentool.ts"), `export * from "${join(ROOT, "src/client/opentool.ts")}";\n`);
  fork = makeFork("test/fixtures/samples");
  server = await serveBuilt(fork);
});
afterAll(async () => {
  await server?.stop();
  fork?.remove();
  rmSync(folder, { recursive: true });
});

describe.each(PROGRAMS.map((block) => [block.at, block] as const))("%s", (at, { text }) => {
  const name = `program-${at.replaceAll(/\D/g, "")}`;

  it("has no mistake in its types", () => {
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, text);
    expect(typeErrors(file, "es2022", "node")).toBe("");
  });

  it("prints what it says", async () => {
    const outfile = join(folder, `${name}.mjs`);
    const contents = text.replaceAll("http://127.0.0.1:8787", server.url);
    const stdin = { contents, resolveDir: folder, loader: "ts" as const };
    await build({ stdin, bundle: true, format: "esm", platform: "node", target: "node20", outfile });
    const said = [...text.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, line]) => line);
    // Not execFileSync: the server needs this process to read what it prints.
    const { stdout: printed } = await promisify(execFile)(systemNode(), [outfile]);
    expect(said.length).toBeGreaterThan(0);
    expect(inOneLine(printed)).toBe(inOneLine(said.join("\n")));
  });
});

/** Node breaks long objects into lines. */
const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

it("has programs", () => {
  expect(PROGRAMS.length).toBe(3);
});
