/** What people try first: the MCP Inspector's command line, and two curl commands. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fork, makeFork, type Served, serveBuilt } from "../support/node/fork.ts";
import { execFile } from "../support/node/processes.ts";

const BIN = resolve(import.meta.dirname, "../../node_modules/.bin");

let fork: Fork;
let served: Served;
let home: string;
beforeAll(async () => {
  fork = makeFork("test/fixtures/tools");
  // A tool has it in its `env`.
  fork.write(".dev.vars.example", "FIXTURE_SETTING=\n");
  served = await serveBuilt(fork);
  // The Inspector keeps a catalogue of servers in the home folder.
  home = mkdtempSync(join(tmpdir(), "trivet-home-"));
});
afterAll(async () => {
  await served?.stop();
  fork.remove();
  rmSync(home, { recursive: true, force: true });
});

interface Exited {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[]): Promise<Exited> {
  // The project's own `node` comes first on the PATH, so the Inspector runs on it.
  const env = { ...process.env, PATH: `${BIN}:${process.env.PATH}`, HOME: home };
  return new Promise((exited) => {
    execFile(command, args, { env }, (error, stdout, stderr) => exited({ code: error?.code ?? 0, stdout, stderr }));
  });
}

const inspect = (...args: string[]) =>
  run(join(BIN, "inspector"), ["--cli", `${served.url}/mcp`, "--transport", "http", ...args]);

describe.each([
  ["by default", [], { value: 15 }],
  ["in the modern era", ["--protocol-era", "modern"], 15],
  ["choosing the era", ["--protocol-era", "auto"], 15],
])("the Inspector's command line, %s", (_, era, structuredContent) => {
  it("lists tools", async () => {
    const { code, stdout, stderr } = await inspect("--method", "tools/list", ...era);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const names = JSON.parse(stdout).tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("Math_Add");
  });

  it("calls a tool", async () => {
    const call = ["--method", "tools/call", "--tool-name", "Math_Add", "--tool-arg", "a=10", "b=5"];
    const { code, stdout, stderr } = await inspect(...call, ...era);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: "text", text: "15" }], structuredContent });
  });

  it("says that a tool failed", async () => {
    const call = ["--method", "tools/call", "--tool-name", "Failing_Throws"];
    const { code } = await inspect(...call, ...era);
    expect(code).toBe(5);
  });
});

describe("curl", () => {
  const post = (body: string) =>
    run("curl", [
      ...["-s", "-X", "POST", `${served.url}/mcp`],
      ...["-H", "X-Agent-API-Key: bak_YOUR_KEY"],
      ...["-H", "Content-Type: application/json"],
      ...["-d", body],
    ]);

  it("lists tools", async () => {
    const { code, stdout } = await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(code).toBe(0);
    const names = JSON.parse(stdout).result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("Math_Add");
  });

  it("calls a tool", async () => {
    const { code, stdout } = await post(`{
    "jsonrpc":"2.0",
    "id":2,
    "method":"tools/call",
    "params":{
      "name":"Math_Add",
      "arguments":{"a":10,"b":5}
    }
  }`);
    expect(code).toBe(0);
    const { jsonrpc, id, result } = JSON.parse(stdout);
    expect({ jsonrpc, id }).toEqual({ jsonrpc: "2.0", id: 2 });
    expect(result.content).toEqual([{ type: "text", text: "15" }]);
  });
});
