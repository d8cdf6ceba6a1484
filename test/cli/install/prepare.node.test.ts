/** What npm runs after `npm install` in this project, with and without the development packages. */

import { existsSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { mayStart, spawnSync } from "../../support/node/processes.ts";
import { tool } from "../../support/node/project.ts";
import { systemNode } from "../../support/node/system-node.ts";
import { isSlow } from "../../support/tier.ts";

// What npm runs after an installation; and what finds the Node of this machine.
mayStart(4);

let fork: Fork;
beforeAll(() => {
  fork = makeFork({ "hello/greet.ts": tool() }, { copied: true });
});
afterAll(() => fork.remove());

/** @param env as npm sets it; by default it installs the fork itself */
function prepare(env: Record<string, string> = { npm_config_local_prefix: fork.root }, node = process.execPath) {
  const { status, stdout, stderr } = spawnSync(node, [join(fork.root, "src/cli/install/prepare.js")], {
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const has = (file: string) => existsSync(join(fork.root, file));

const changeClient = (line: string) =>
  fork.write("src/client/webhooks.ts", `${fork.read("src/client/webhooks.ts")}\n${line}`);

it("leaves tools/ alone without the development packages, in any Node", () => {
  const packages = join(fork.root, "node_modules");
  const from = readlinkSync(packages);
  rmSync(packages);
  expect(prepare(undefined, systemNode())).toEqual({
    ...{ status: 0, stderr: "" },
    stdout: "Without the development packages, tools/ is not discovered.\n",
  });
  expect(has("src/generated")).toBe(false);
  symlinkSync(from, packages);
});

it("writes the clients and the catalogue, also with a mistake in the clients' types", () => {
  changeClient('export const a: number = "";');
  expect(prepare()).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringContaining("discovered 1 tool"),
  });
  expect([has("dist/client/oxp.js"), has("dist/client/oxp.d.ts"), has("src/generated/catalog.ts")]).toEqual([
    ...[true, true, true],
  ]);
  expect(fork.read("dist/client/webhooks.js")).toContain("export const a");
});

/** One that does not say which project it installs. */
const OTHER_MANAGER = {};

it.runIf(isSlow)("writes both with a package manager that does not say which project it installs", () => {
  fork.delete("src/generated/catalog.ts");
  expect(prepare(OTHER_MANAGER)).toMatchObject({ status: 0, stderr: "" });
  expect(has("src/generated/catalog.ts")).toBe(true);
});

it("writes the clients anew when their sources have changed, and fails if tools/ has a mistake", () => {
  changeClient("export const b = 1;");
  fork.write("tools/hello/greet.ts", tool({ description: '""' }));
  const failed = prepare(OTHER_MANAGER);
  expect(failed).toMatchObject({ status: 1, stderr: expect.stringContaining("1 problem(s) in tools") });
  expect(fork.read("dist/client/webhooks.js")).toContain("export const b");
});
