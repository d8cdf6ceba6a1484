/**
 * Long tools over OXP and OpenTool, keyed calls, and who gets which result, over real HTTP. Most tests wait for a task of
 * their own, so they do that at the same time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FunctionCall, OpenToolClient } from "../../../src/client/opentool.ts";
import { SECRET } from "../../support/node/attacks/tokens.ts";
import { type Served, until } from "../../support/node/fork.ts";
import {
  callModern,
  callOpenTool,
  callOxp,
  endOf,
  type Long,
  modern,
  newName,
  release as releaseBy,
  saying,
  seen as seenBy,
  serveLong,
  startTask,
  TASKS,
  tokenOf,
} from "../../support/node/long.ts";

let server: Long;
let url: string;
/** Waits for results until they are there; `server`, for a second. */
let patient: Served;
beforeAll(async () => {
  server = await serveLong({
    closed: true,
    vars: { JWT_SECRET: SECRET, TASKS_PER_PRINCIPAL: "20" },
  });
  url = server.url;
  patient = await server.also({ vars: { LONG_WAIT_SECONDS: "300" } });
});
afterAll(async () => {
  await patient?.stop();
  await server?.stop();
});

const ADA = tokenOf("ada");
const PLAIN = { headers: ADA, capabilities: {} };
const ada = { headers: ADA };
const seen = (name: string) => seenBy(url, name, ada);
const release = (name: string) => releaseBy(url, name, ada);
const oxp = async (tool: string, input: object, more: object = {}, headers = ADA) =>
  (await callOxp(url, tool, input, more, headers)).body;
const openTool = async (tool: string, input: object, headers: object = {}) =>
  (await callOpenTool(url, tool, input, { ...ADA, ...headers })).body;

describe.concurrent("OXP", () => {
  it("answers a call that outlasts the wait as it answers a running duplicate, and then gives the result", async () => {
    const input = { name: newName(), held: true };
    const call_id = newName();
    const first = (await oxp("Jobs.Work", input, { call_id })).result;
    expect(first).toEqual({
      call_id,
      duration: expect.any(Number),
      success: false,
      error: { message: expect.any(String), can_retry: true, retry_after_ms: expect.any(Number) },
    });
    await until(async () => (await seen(input.name)).length > 0);
    await sleep(300);
    await release(input.name);
    await until(async () => (await oxp("Jobs.Work", input, { call_id })).result.success);
    // The result stays under the key.
    const { result } = await oxp("Jobs.Work", input, { call_id });
    expect(result).toMatchObject({ call_id, success: true, value: `${input.name} is done` });
    // That of the run.
    expect(result.duration).toBeGreaterThan(250);
    expect(await seen(input.name)).toEqual(["begun", "done"]);
  });

  it("takes the call_id that it generated itself for a call without one", async () => {
    const input = { name: newName(), held: true };
    const first = (await oxp("Jobs.Work", input)).result;
    expect(first.error.can_retry).toBe(true);
    const { call_id } = first;
    await release(input.name);
    await until(async () => (await oxp("Jobs.Work", input, { call_id })).result.success);
    expect(await seen(input.name)).toEqual(["begun", "done"]);
    // That was delivered, so the same input without call_id is a new call.
    await oxp("Jobs.Work", input);
    await until(async () => (await seen(input.name)).length === 3);
    expect(await seen(input.name)).toEqual(["begun", "done", "begun"]);
    await release(input.name);
  });

  it("joins a repeated call of the same input without call_id", async () => {
    const input = { name: newName(), held: true };
    await oxp("Jobs.Work", input);
    await release(input.name);
    await until(async () => (await oxp("Jobs.Work", input)).result.success);
    expect(await seen(input.name)).toEqual(["begun", "done"]);
  });

  it("refuses the same call_id with other input, and with another version", async () => {
    const call_id = newName();
    await oxp("Jobs.Work", { name: newName(), ms: 100 }, { call_id });
    const other = await oxp("Jobs.Work", { name: newName(), ms: 100 }, { call_id });
    expect(other.message).toContain("already used with different input");
  });

  it("says of a question that OXP cannot ask it", async () => {
    const answer = await oxp("Jobs.Ask", { what: "one", name: newName() });
    expect(answer.message).toContain("Which colour?");
    const prepared = await oxp("Jobs.Prepared", { name: newName(), how: "asks" });
    expect(prepared.message).toContain("For whom?");
  });

  it.each(["text", "object", "nothing", "blocks", "tool error", "error to repeat", "error", "not JSON"])(
    "gives what a plain call gives: %s",
    async (how) => {
      const ended = await callOxp(patient.url, "Jobs.Ends", { how, name: newName() }, {}, ADA);
      const long = ended.body.result;
      const plain = (await oxp("Jobs.EndsAtOnce", { how })).result;
      expect({ ...long, call_id: "", duration: 0 }).toEqual({ ...plain, call_id: "", duration: 0 });
    },
  );

  it("gives a tool its caller's secrets, minutes after the request that had them", async () => {
    const text = newName();
    const context = {
      secrets: [{ id: "LONG_SECRET", value: "0123456789" }],
      authorization: [{ id: "shop", token: "01234" }],
    };
    const call = () => oxp("Jobs.Secretive", { text, held: true }, { call_id: text, context });
    expect((await call()).result.success).toBe(false);
    await release(text);
    await until(async () => (await call()).result.success);
    expect((await call()).result.value).toEqual({ text: `returned-${text}`, secret: 10, token: 5 });
    const other = { ...context, secrets: [{ id: "LONG_SECRET", value: "another" }] };
    const conflict = await oxp("Jobs.Secretive", { text, held: true }, { call_id: text, context: other });
    expect(conflict.message).toContain("already used");
  });
});

describe.concurrent("OpenTool", () => {
  it("answers with an error that can be repeated with the same key, and then with the result", async () => {
    const input = { name: newName(), held: true };
    const key = { "idempotency-key": newName() };
    const first = await openTool("Jobs_Work", input, key);
    expect(first.error.data).toMatchObject({ can_retry: true, retry_after_ms: expect.any(Number) });
    expect(first.error.message).toMatch(/^A call with this idempotency key is still running \(/);
    await release(input.name);
    await until(async () => (await openTool("Jobs_Work", input, key)).error === null);
    expect((await openTool("Jobs_Work", input, key)).result).toEqual({ value: `${input.name} is done` });
    expect(await seen(input.name)).toEqual(["begun", "done"]);
    const conflict = await openTool("Jobs_Work", { ...input, ms: 1 }, key);
    expect(conflict.error.message).toContain("already used");
  });

  it("joins without a key by the same input", async () => {
    const input = { name: newName(), held: true };
    const { error } = await openTool("Jobs_Work", input);
    expect(error.data.can_retry).toBe(true);
    // It does not speak of a key, which this caller did not send.
    expect(error.message).toMatch(
      /^The function is still running; call it again with the same parameters to get its result \(/,
    );
    await release(input.name);
    await until(async () => (await openTool("Jobs_Work", input)).error === null);
    expect(await seen(input.name)).toEqual(["begun", "done"]);
  });

  it("streams until the tool has ended, longer than a call waits", async () => {
    const params = { name: newName(), held: true };
    const response = await fetch(`${url}/opentool/streamCall`, {
      method: "POST",
      headers: { "content-type": "application/json", ...ADA },
      body: JSON.stringify({ jsonrpc: "2.0", id: "1", method: "Jobs_Work", params }),
    });
    // A call that begins later has been told to ask again: the stream has waited longer.
    expect((await openTool("Jobs_Work", params)).error.data.can_retry).toBe(true);
    await release(params.name);
    const text = await response.text();
    expect(text).toMatch(/^event:start\n.*\n\n(\n)*event:data\ndata:(.*)\n\nevent:done\n/);
    expect(text).toContain(`{"value":"${params.name} is done"}`);
  });

  it("is followed to its end by our client, with a key and without", async () => {
    const client = new OpenToolClient({ url, apiKey: String(ADA.authorization).replace("Bearer ", "") });
    const ends = [{ idempotencyKey: newName() }, {}].map(async (options) => {
      const params = { name: newName(), ms: 3_000 };
      const { result } = await client.call(new FunctionCall("1", "Jobs_Work", params), options);
      expect(result).toEqual({ value: `${params.name} is done` });
      expect(await seen(params.name)).toEqual(["begun", "done"]);
    });
    await Promise.all(ends);
  });
});

describe.concurrent("a keyed call", () => {
  it.each([
    ["at once", 0],
    ["beyond the wait", 2_000],
  ])("of which 20 come together runs once, and all get the result (%s)", async (_, ms) => {
    const input = { name: newName(), ms };
    const call_id = newName();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        let answer = await oxp("Jobs.Work", input, { call_id });
        for (let times = 0; !answer.result.success && times < 20; times++) {
          expect(answer.result.error.can_retry).toBe(true);
          answer = await oxp("Jobs.Work", input, { call_id });
        }
        return answer.result.value;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([`${input.name} is done`]));
    expect(await seen(input.name)).toEqual(["begun", "done"]);
  });

  it("may be repeated after a failure that can be repeated, and not after another one", async () => {
    for (const [how, runs] of [
      ["error to repeat", 2],
      ["tool error", 1],
    ] as const) {
      const input = { how, name: newName() };
      const call_id = newName();
      for (let times = 0; times < 2; times++) {
        expect((await oxp("Jobs.Ends", input, { call_id })).result.success).toBe(false);
      }
      expect(await seen(input.name)).toEqual(Array(runs).fill("run"));
    }
  });

  it("may be repeated after it was cancelled, and after it timed out", async () => {
    const name = newName();
    const key = { headers: { ...ADA, "idempotency-key": newName() } };
    const taskId = await startTask(url, "Jobs_Work", { name, ms: 60_000 }, key);
    await until(async () => (await seen(name)).length > 0);
    await modern(url, "tasks/cancel", { taskId }, ada);
    // Not while the cancelled run goes on: it hears of that at its next sign of life.
    let again = taskId;
    await until(async () => {
      again = await startTask(url, "Jobs_Work", { name, ms: 60_000 }, key);
      return true;
    });
    expect(again).not.toBe(taskId);
    await modern(url, "tasks/cancel", { taskId: again }, ada);

    const short = { name: newName(), ms: 5_000 };
    const call_id = newName();
    const call = async () => (await oxp("Jobs.Short", short, { call_id })).result.error.message;
    const runs = async () => (await seen(short.name)).filter((what) => what === "begun").length;
    expect(await call()).toContain("still running");
    await until(async () => (await seen(short.name)).includes("TimeoutError"));
    // Nobody waited when it timed out: its caller is told first.
    expect(await call()).toContain("took too long");
    expect(await runs()).toBe(1);
    await call();
    await until(async () => (await runs()) === 2);
  });

  it("is taken after the time limit if a step has begun that must not be done twice", async () => {
    const name = newName();
    const call = () => oxp("Jobs.Pay", { name }, { call_id: name });
    await until(async () => (await call()).result.error.message.includes("longer than 1500 ms"));
    const { error } = (await call()).result;
    expect(error.message).toContain("it is not run again");
    expect(error.can_retry).not.toBe(true);
    expect(await seen(name)).toEqual(["paid"]);
  });

  it("is one task over MCP, too: the same id, and then the result at once", async () => {
    const name = newName();
    const key = { headers: { ...ADA, "idempotency-key": newName() } };
    const [one, two] = await Promise.all([
      startTask(url, "Jobs_Work", { name, ms: 1_000 }, key),
      startTask(url, "Jobs_Work", { name, ms: 1_000 }, key),
    ]);
    expect(one).toBe(two);
    await endOf(url, one, ada);
    const { result } = await callModern(url, "Jobs_Work", { name, ms: 1_000 }, key);
    expect(result).toMatchObject({ resultType: "complete", structuredContent: `${name} is done` });
    expect(result._meta).toMatchObject({ replayed: true });
    const { error } = await callModern(url, "Jobs_Work", { name, ms: 1 }, key);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("already used") });
    expect(await seen(name)).toEqual(["begun", "done"]);
  });

  it("prepares once", async () => {
    const name = newName();
    const key = { headers: { ...ADA, "idempotency-key": newName() }, capabilities: {} };
    const call = () => callModern(url, "Jobs_Prepared", { name, how: "is ready", ms: 2_500 }, key);
    await call();
    await until(async () => (await call()).result.structuredContent !== undefined);
    expect((await call()).result.structuredContent.prepared.list).toEqual([1]);
    expect(await seen(name)).toEqual(["prepared", "run"]);
  });

  it("keeps its result even with keep: false, because its callers come back for it (docs/tasks.md)", async () => {
    const input = { name: newName(), held: true };
    const call_id = newName();
    const call = async () => (await oxp("Jobs.Forgetful", input, { call_id })).result;
    expect((await call()).error.can_retry).toBe(true);
    await release(input.name);
    await until(async () => (await call()).success);
    expect((await call()).value).toBe(`${input.name} is done`);
    expect(await seen(input.name)).toEqual(["begun", "done"]);
  });
});

describe.concurrent("a caller", () => {
  const work = (headers: object, args: object, name = "Jobs_Work") =>
    callModern(url, name, args, { headers: headers as Record<string, string>, capabilities: {} });

  it("does not reach another principal's task, with its id or its input", async () => {
    const name = newName();
    const bob = tokenOf("bob");
    const { task_id } = (await work(ADA, { name, ms: 60_000 })).result._meta;
    const others = (await work(bob, { task_id, name })).result;
    expect(others.isError).toBe(true);
    const own = (await work(bob, { name, ms: 60_000 })).result;
    expect(own._meta.task_id).not.toBe(task_id);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { body } = await modern(url, method, { taskId: task_id, inputResponses: {} }, { headers: bob });
      expect(body.error.code).toBe(-32602);
    }
    expect((await modern(url, "tasks/get", { taskId: task_id }, ada)).body.result.status).toBe("working");
    await modern(url, "tasks/cancel", { taskId: task_id }, ada);
    await modern(url, "tasks/cancel", { taskId: own._meta.task_id }, { headers: bob });
  });

  it("with fewer scopes does not get what one with more has started", async () => {
    const name = newName();
    const [broad, narrow] = [tokenOf("eve", "jobs more"), tokenOf("eve", "more")];
    const key = { "idempotency-key": newName() };
    const taskId = await startTask(url, "Jobs_Work", { name }, { headers: { ...broad, ...key } });
    await endOf(url, taskId, { headers: broad });
    expect((await modern(url, "tasks/get", { taskId }, { headers: narrow })).body.error.code).toBe(-32602);
    expect((await work(narrow, { task_id: taskId })).result.isError).toBe(true);
    expect((await work({ ...narrow, ...key }, { name })).error.message).toContain("already used");
    expect((await work({ ...broad, ...key }, { name })).result.structuredContent).toBe(`${name} is done`);
  });

  it("with fewer scopes has a run of its own for the same input without a key", async () => {
    const name = newName();
    const [broad, narrow] = [tokenOf("eve", "jobs more"), tokenOf("eve", "more")];
    await work(broad, { name, held: true });
    await work(narrow, { name, held: true });
    await release(name);
    await release(name);
    await until(async () => (await seen(name)).filter((what) => what === "done").length === 2);
    expect((await work(narrow, { name, held: true })).result.structuredContent).toBe(`${name} is done`);
  });

  it("needs the tool's scopes at each request", async () => {
    const name = newName();
    const taskId = await startTask(url, "Jobs_Scoped", { name, ms: 1_000 }, { headers: tokenOf("fay", "jobs") });
    const without = tokenOf("fay", "none");
    expect((await modern(url, "tasks/get", { taskId }, { headers: without })).body.error.code).toBe(-32602);
    const resumed = await work(without, { name, task_id: taskId }, "Jobs_Scoped");
    expect(resumed.error).toBeDefined();
    expect(resumed).toEqual(await work(without, { name }, "Jobs_Scoped"));
    expect((await endOf(url, taskId, { headers: tokenOf("fay", "jobs") })).status).toBe("completed");
  });

  it("needs a valid token at each request", async () => {
    const taskId = await startTask(url, "Jobs_Work", { name: newName() }, ada);
    const none = await modern(url, "tasks/get", { taskId }, { headers: {} });
    expect(none.status).toBe(401);
  });

  it("cannot reach a task on the path of another toolkit", async () => {
    const taskId = await startTask(url, "Jobs_Work", { name: newName(), ms: 1_000 }, ada);
    for (const method of ["tasks/get", "tasks/cancel"]) {
      const { body } = await modern(url, method, { taskId }, { ...ada, path: "/other/mcp" });
      expect(body.error.code).toBe(-32602);
    }
    expect((await modern(url, "tasks/get", { taskId }, { ...ada, path: "/jobs/mcp" })).body.result.taskId).toBe(taskId);
  });

  it("may have so many unfinished tasks, is told so, and may start others when they end", async () => {
    const headers = tokenOf("greedy");
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => startTask(url, "Jobs_Ask", { what: "one" }, { headers, ...ASKABLE })),
    );
    const { result } = await callModern(url, "Jobs_Work", { name: newName() }, { headers });
    expect(result).toMatchObject({ resultType: "complete", isError: true, _meta: { can_retry: true } });
    expect(result.content[0].text).toContain("You have 20 unfinished calls of long tools");
    const overOxp = await oxp("Jobs.Work", { name: newName() }, {}, headers);
    expect(overOxp.result.error).toMatchObject({ can_retry: true, retry_after_ms: expect.any(Number) });
    // Tools that are not long, and other callers, are as free as before.
    expect((await callModern(url, "Jobs_EndsAtOnce", { how: "text" }, { headers })).result.structuredContent).toBe(
      "a text",
    );
    await startTask(url, "Jobs_Work", { name: newName() }, ada);
    await modern(url, "tasks/cancel", { taskId: ids[0] }, { headers });
    await startTask(url, "Jobs_Work", { name: newName() }, { headers });
    for (const taskId of ids) await modern(url, "tasks/cancel", { taskId }, { headers });
  });

  it("may start so many in a minute as the tool's rate says, and follow them as often as it likes", async () => {
    const headers = tokenOf("hasty");
    const ids: string[] = [];
    let refused: { _meta?: unknown; content: { text: string }[] } | undefined;
    for (let times = 0; times < 40 && refused === undefined; times++) {
      const { result } = await callModern(url, "Jobs_Rated", { name: newName(), ms: 500 }, { headers });
      if (result.resultType === "task") ids.push(result.taskId);
      else refused = result;
    }
    expect(refused?.content[0]?.text).toContain("More than 10 calls");
    for (const id of ids) expect((await endOf(url, id, { headers })).status).toBe("completed");
  });
});

const ASKABLE = { capabilities: { ...TASKS, elicitation: {} } };

describe.concurrent("answers", () => {
  it("reach a task from another principal's client never, and from its own in any era", async () => {
    const name = newName();
    const own = { headers: ADA, ...ASKABLE };
    const taskId = await startTask(url, "Jobs_Ask", { what: "one", name }, own);
    await until(async () => (await modern(url, "tasks/get", { taskId }, own)).body.result.status === "input_required");
    await modern(
      url,
      "tasks/update",
      { taskId, inputResponses: { colour: saying("black") } },
      { headers: tokenOf("bob") },
    );
    await sleep(500);
    expect((await modern(url, "tasks/get", { taskId }, own)).body.result.status).toBe("input_required");
    await modern(url, "tasks/update", { taskId, inputResponses: { colour: saying("red") } }, ada);
    expect((await endOf(url, taskId, own)).result.structuredContent).toEqual(["red"]);
  });
});

it("writes an audit line of the request and one of the run", async () => {
  const name = newName();
  await callModern(url, "Jobs_Work", { name, held: true }, PLAIN);
  await until(async () => (await seen(name)).length > 0);
  await sleep(300);
  await release(name);
  await until(async () => (await seen(name)).includes("done"));
  const lines = () =>
    server
      .logs()
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
      .filter(({ message, tool }) => message === "call" && tool === "Jobs.Work@1.0.0");
  await until(async () => lines().at(-1)?.outcome === "completed");
  const [last, ...before] = lines().reverse();
  expect(last.durationMs).toBeGreaterThan(250);
  expect(before.find(({ callId }) => callId === last.callId)).toMatchObject({ outcome: "accepted" });
});
