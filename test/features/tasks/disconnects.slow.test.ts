/** Calls of long tools whose client disconnects. The server is behind a proxy that passes this on. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveAtEdge } from "../../conformance/runner/edge.ts";
import { type Fork, makeFork, type Served, testSettings, until, withVars } from "../../support/node/fork.ts";
import { post } from "../../support/node/http.ts";
import { callModern, callOxp, newName, postModern, seen, WORKFLOW } from "../../support/node/long.ts";

const PLAIN = { capabilities: {} };

let fork: Fork;
let server: Served;
let url: string;
beforeAll(async () => {
  const settings = withVars(testSettings(), { LONG_WAIT_SECONDS: "3", TASK_LEASE_SECONDS: "4" });
  fork = makeFork("test/fixtures/long", { settings: settings + WORKFLOW });
  server = await serveAtEdge(fork);
  url = server.url;
});
afterAll(async () => {
  await server?.stop();
  fork?.remove();
});

it("go on, and keep their results for the repeated call", async () => {
  const name = newName();
  const args = { name, ms: 2_000 };
  const gone = new AbortController();
  const params = { name: "Jobs_Work", arguments: args };
  const call = postModern(url, "tools/call", params, { ...PLAIN, signal: gone.signal });
  await until(async () => (await seen(url, name)).length > 0);
  gone.abort();
  await expect(call).rejects.toThrow();
  await until(async () => (await seen(url, name)).includes("done"));
  await sleep(300);
  const { result } = await callModern(url, "Jobs_Work", args, PLAIN);
  expect(result.structuredContent).toBe(`${name} is done`);
  expect(await seen(url, name)).toEqual(["begun", "done"]);
});

it("do so over OXP, too", async () => {
  const input = { name: newName(), ms: 2_000 };
  const gone = new AbortController();
  const call = post(`${url}/tools/call`, { request: { tool_id: "Jobs.Work", input } }, {}, gone.signal);
  await until(async () => (await seen(url, input.name)).length > 0);
  gone.abort();
  await expect(call).rejects.toThrow();
  await until(async () => (await seen(url, input.name)).includes("done"));
  await sleep(300);
  expect((await callOxp(url, "Jobs.Work", input)).body.result.success).toBe(true);
  expect(await seen(url, input.name)).toEqual(["begun", "done"]);
});
