/**
 * Long tools of a deployment without the workflow: each task runs in a Durable Object. The server is behind a proxy that
 * passes on when a client disconnects. Without CLAIMS, too, a call ends with its request.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveAtEdge } from "../conformance/runner/edge.ts";
import { type Fork, makeFork, type Served, until } from "../support/node/fork.ts";
import { post } from "../support/node/http.ts";
import {
  callModern,
  callOpenTool,
  callOxp,
  type Long,
  modern,
  newName,
  postModern,
  saying,
  seen,
  serveLong,
  TASKS,
} from "../support/node/long.ts";

const PLAIN = { capabilities: {} };
const OPEN = { capabilities: { elicitation: {} } };

describe("without the workflow", () => {
  let fork: Fork;
  let server: Served;
  let url: string;
  beforeAll(async () => {
    fork = makeFork("test/fixtures/long");
    const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
    const vars = '[vars]\nLONG_WAIT_SECONDS = "3"\nTASK_LEASE_SECONDS = "4"';
    fork.write("wrangler.toml", settings.replace("[vars]", vars));
    server = await serveAtEdge(fork);
    url = server.url;
  });
  afterAll(async () => {
    await server?.stop();
    fork?.remove();
  });

  it("announces no tasks, has none of their methods, and answers clients with tasks as all others", async () => {
    const { body } = await modern(url, "server/discover");
    expect(body.result.capabilities).not.toHaveProperty("extensions");
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const answer = await modern(url, method, { taskId: "x" });
      expect([answer.status, answer.body.error.code]).toEqual([404, -32601]);
    }
    const { result } = await callModern(url, "Jobs_Ends", { how: "object" }, { capabilities: TASKS });
    expect(result).toMatchObject({ resultType: "complete", structuredContent: { sum: 3 } });
    // Even a tool for clients with tasks only is better served so than not at all.
    const name = newName();
    const only = await callModern(url, "Jobs_Only", { name });
    expect(only.result.structuredContent).toBe(`${name} is done`);
  });

  it("waits, says that the work goes on, and gives the result later", async () => {
    const name = newName();
    const args = { name, ms: 5_000 };
    let { result } = await callModern(url, "Jobs_Work", args, PLAIN);
    const { task_id } = result._meta;
    expect(result).not.toHaveProperty("isError");
    for (let times = 0; times < 9 && result._meta?.task_id; times++) {
      result = (await callModern(url, "Jobs_Work", { ...args, task_id }, PLAIN)).result;
    }
    expect(result.structuredContent).toBe(`${name} is done`);
    expect(await seen(url, name)).toEqual(["begun", "done"]);
  });

  it("does the same over OXP and OpenTool", async () => {
    const input = { name: newName(), ms: 5_000 };
    const call_id = newName();
    const oxp = () => callOxp(url, "Jobs.Work", input, { call_id });
    expect((await oxp()).body.result).toMatchObject({ call_id, success: false, error: { can_retry: true } });
    await until(async () => (await oxp()).body.result.success === true);
    const key = { "idempotency-key": newName() };
    const openTool = () => callOpenTool(url, "Jobs_Work", { name: newName.name, ms: 5_000 }, key);
    expect((await openTool()).body.error.data).toMatchObject({ can_retry: true });
    await until(async () => (await openTool()).body.error === null);
  });

  it("asks questions, and does steps", async () => {
    const params = { name: "Jobs_Ask", arguments: { what: "one", name: newName() } };
    const first = (await modern(url, "tools/call", params, OPEN)).body.result;
    const again = { ...params, requestState: first.requestState, inputResponses: { colour: saying("red") } };
    expect((await modern(url, "tools/call", again, OPEN)).body.result.structuredContent).toEqual(["red"]);
    const { result } = await callModern(url, "Jobs_Steps", { name: newName() }, PLAIN);
    expect(result.structuredContent).toEqual([
      { n: 1, list: [1, null] },
      { n: 2, list: [2, null] },
      "nothing",
      "a ToolError: The step has failed",
      "once",
    ]);
  });

  it("goes on for a client that disconnects, and keeps its result for the repeated call", async () => {
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

  it("goes on for a client of OXP that disconnects, too", async () => {
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
});

describe("without CLAIMS", () => {
  let server: Long;
  let url: string;
  beforeAll(async () => {
    const change = (settings: string) =>
      settings
        .replace(/\[\[durable_objects\.bindings\]\]\nname = "CLAIMS"\nclass_name = "Claims"\n/, "")
        .replace(/\[\[migrations\]\]\ntag = "v2"\nnew_sqlite_classes = \["Claims"\]\n/, "");
    server = await serveLong({ more: "", change });
    url = server.url;
  });
  afterAll(() => server?.stop());

  it("a call ends with its request, however long it takes", async () => {
    const name = newName();
    const { result } = await callModern(url, "Jobs_Work", { name, ms: 2_000 }, PLAIN);
    expect(result.structuredContent).toBe(`${name} is done`);
    const oxp = await callOxp(url, "Jobs.Work", { name, ms: 0 }, { call_id: newName() });
    expect(oxp.body.result).toMatchObject({ success: true, value: `${name} is done` });
  });

  it("prepares and asks in the request", async () => {
    const ready = await callModern(url, "Jobs_Prepared", { name: newName(), how: "is ready" }, PLAIN);
    expect(ready.result.structuredContent).toEqual({ prepared: { at: "1970-01-01T00:00:00.000Z", list: [1] } });
    const params = { name: "Jobs_Ask", arguments: { what: "one", name: newName() } };
    const first = (await modern(url, "tools/call", params, OPEN)).body.result;
    const again = { ...params, requestState: first.requestState, inputResponses: { colour: saying("red") } };
    expect((await modern(url, "tools/call", again, OPEN)).body.result.structuredContent).toEqual(["red"]);
  });
});
