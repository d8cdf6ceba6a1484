/** What npm runs after `npm install` in this project, with and without the development packages. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { mayStart, spawnSync } from "../../support/node/processes.ts";
import { tool } from "../../support/node/project.ts";
import { systemNode } from "../../support/node/system-node.ts";

// What npm runs after an installation.
mayStart(7);

let fork: Fork;
beforeEach(() => {
  fork = makeFork({ "hello/greet.ts": tool() });
});
afterEach(() => fork.remove());

/** @param env as npm sets it; by default it installs the fork itself */
function prepare(env: Record<string, string> = { npm_config_local_prefix: fork.root }, node = process.execPath) {
  const { status, stdout, stderr } = spawnSync(node, [join(fork.root, "src/cli/install/prepare.js")], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const has = (file: string) => existsSync(join(fork.root, file));

it.each([
  ["npm", () => prepare()],
  ["a package manager that does not say which project it installs", () => prepare({})],
])("writes the clients and the catalogue, with %s", (_, run) => {
  expect(run()).toMatchObject({ status: 0, stderr: "" });
  expect([has("dist/client/oxp.js"), has("dist/client/oxp.d.ts"), has("src/generated/catalog.ts")]).toEqual([
    ...[true, true, true],
  ]);
});

it("writes the clients anew when their sources have changed, also with a mistake in their types", () => {
  prepare();
  const { root } = fork;
  fork.write(
    "src/client/webhooks.ts",
    `${readFileSync(join(root, "src/client/webhooks.ts"))}\nexport const a: number = "";`,
  );
  expect(prepare()).toMatchObject({ status: 0, stdout: expect.stringContaining("discovered 1 tool") });
  expect(readFileSync(join(root, "dist/client/webhooks.js"), "utf8")).toContain("export const a");
});

it("fails if tools/ has a mistake", () => {
  fork.write("tools/hello/greet.ts", tool({ description: '""' }));
  expect(prepare()).toMatchObject({ status: 1, stderr: expect.stringContaining("1 problem(s) in tools") });
});

it("leaves tools/ alone without the development packages, in any Node", () => {
  rmSync(join(fork.root, "node_modules"));
  expect(prepare(undefined, systemNode())).toEqual({
    ...{ status: 0, stderr: "" },
    stdout: "Without the development packages, tools/ is not discovered.\n",
  });
  expect(has("src/generated")).toBe(false);
});
