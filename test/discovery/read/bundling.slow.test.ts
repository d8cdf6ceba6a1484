/** The cases of bundling.node.test.ts with wrangler itself, which takes long to start, and in the tests of a fork's tools. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FILES, idOf, RETURNED, SETTINGS, withPaths, writePackages } from "../../support/node/bundling-cases.ts";
import { type Copy, copyProject } from "../../support/node/copy.ts";
import { start } from "../../support/node/fork.ts";
import { spawnSync } from "../../support/node/processes.ts";

/** Vite, which bundles tests, takes no JSX in files of JavaScript. */
const { "JSX in a package": _, ...TESTED } = RETURNED;

let folder: string;
let copy: Copy;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trivet-bundling-"));
  writePackages(join(folder, "node_modules"));
  copy = copyProject(folder);
  for (const [path, text] of Object.entries(FILES)) copy.write(path, text);
  copy.write("wrangler.toml", SETTINGS);
  copy.write("tsconfig.json", withPaths(readFileSync(join(copy.root, "tsconfig.json"), "utf8")));
  const tests = Object.entries(TESTED).map(([name, value]) => {
    const called = `(await callTool("${idOf(name)}", {})).value`;
    return `it("${name}", async () => expect(${called}).toEqual(${JSON.stringify(value)}));\n`;
  });
  const imports = 'import { callTool } from "#test";\nimport { expect, it } from "vitest";\n';
  // As the types of many packages do, such as those of pg: the framework's own code must fit them.
  copy.write("tools/kit/_types.ts", '/// <reference types="node" />\nexport {};\n');
  copy.write("tools/kit/kit.test.ts", imports + tests.join(""));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A person's environment: without what vitest sets in this process. */
function run(command: string, ...args: string[]) {
  const env = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|DEV$|PROD$)/.test(name));
  const options = { cwd: copy.root, env: { ...Object.fromEntries(env), NO_COLOR: "1" }, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { code: status, printed: stdout + stderr };
}

it("npm test", () => {
  expect(run("npm", "test")).toEqual({
    code: 0,
    printed: expect.stringContaining(`Tests  ${Object.keys(TESTED).length} passed`),
  });
});

it("npm start", async () => {
  const server = await start({ root: copy.root });
  try {
    const called = Object.keys(RETURNED).map(async (name) => {
      const body = JSON.stringify({ request: { tool_id: idOf(name), input: {} } });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${server.url}/tools/call`, { method: "POST", headers, body });
      return [name, ((await response.json()) as { result: { value?: unknown } }).result.value];
    });
    expect(Object.fromEntries(await Promise.all(called))).toEqual(RETURNED);
  } finally {
    await server.stop();
  }
});

it("a deployment", () => {
  expect(run("npm", "run", "deploy", "--", "--dry-run", "--outdir", "dist")).toMatchObject({ code: 0 });
});
