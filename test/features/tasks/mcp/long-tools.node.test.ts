/**
 * Long tools for clients without the tasks extension, over real HTTP: the call waits, and then says that the work goes
 * on, with a task_id that the model passes back.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Served } from "../../../support/node/fork.ts";
import { handshake, post, postJson } from "../../../support/node/http.ts";
import {
  callModern,
  type Long,
  MODERN,
  modern,
  newName,
  postModern,
  release,
  saying,
  seen,
  serveLong,
  startTask,
} from "../../../support/node/long.ts";
import { streamOf } from "../../../support/sse.ts";

let server: Long;
let url: string;
/** Waits for results until they are there; `server`, for a second. */
let patient: Served;
/** As `npm start` serves it: everyone is the owner. */
let local: Served;
beforeAll(async () => {
  server = await serveLong();
  url = server.url;
  local = await server.also({ vars: { LOCAL: "true" } });
  patient = await server.also({ vars: { LONG_WAIT_SECONDS: "300" } });
});
afterAll(async () => {
  await patient?.stop();
  await local?.stop();
  await server?.stop();
});

const PLAIN = { capabilities: {} };
// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
type Message = any;

/** Calls a tool as a client of one era, and returns the whole message. */
type Caller = (name: string, args: object, at?: string) => Promise<Message>;

/** All calls are of one session. */
const legacy = (revision: string): Caller => {
  const opened = new Map<string, ReturnType<typeof handshake>>();
  return async (name, args, at = url) => {
    const opening = opened.get(at) ?? handshake(`${at}/mcp`);
    opened.set(at, opening);
    const session = { ...(await opening), "mcp-protocol-version": revision };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    return (await postJson(`${at}/mcp`, message, { accept: "application/json", ...session })).body;
  };
};
const bareDialect: Caller = async (name, args, at = url) =>
  (
    await postJson(
      `${at}/mcp`,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
      {
        accept: "application/json",
      },
    )
  ).body;

const CLIENTS: readonly [string, Caller][] = [
  [MODERN, (name, args, at = url) => callModern(at, name, args, PLAIN)],
  ["2025-11-25", legacy("2025-11-25")],
  ["2025-06-18", legacy("2025-06-18")],
  ["no handshake", bareDialect],
];

const taskIdOf = ({ result }: Message): string => result._meta.task_id;
/** Waits until the runs have done this. In tests that run at once, `expect.poll` does not know whose it is. */
const untilSeen = (name: string, what: readonly string[]) =>
  vi.waitFor(async () => expect(await seen(url, name)).toEqual(what), { timeout: 10_000, interval: 20 });
/** Calls again with the task's id until the work is done, as a model would. */
async function finish(call: Caller, name: string, args: object, first: Message): Promise<Message> {
  let message = first;
  for (let times = 0; times < 20 && message.result?._meta?.task_id; times++) {
    message = await call(name, { ...args, task_id: taskIdOf(message) });
  }
  return message;
}

describe.concurrent.each(CLIENTS)("a client of %s", (_, call) => {
  it("waits for a quick one, and gets an ordinary result", async () => {
    const name = newName();
    const { result } = await call("Jobs_Work", { name, ms: 100 }, patient.url);
    expect(result.content).toEqual([{ type: "text", text: `${name} is done` }]);
    expect(result).not.toHaveProperty("isError");
    expect(result._meta ?? {}).not.toHaveProperty("task_id");
  });

  it("is told after the wait that the work goes on, which is no error, and gets the result later", async () => {
    const name = newName();
    const args = { name, held: true, reports: ["reading"] };
    const began = performance.now();
    const first = await call("Jobs_Work", args);
    expect(performance.now() - began).toBeGreaterThan(900);
    const id = taskIdOf(first);
    expect(first.result).not.toHaveProperty("isError");
    expect(first.result).not.toHaveProperty("structuredContent");
    expect(first.result.content).toEqual([{ type: "text", text: expect.stringContaining(`task_id "${id}"`) }]);
    expect(first.result.content[0].text).toContain("Jobs_Work");
    expect(first.result._meta.retry_after_ms).toBeGreaterThan(0);
    await release(url, name);
    const last = await finish(call, "Jobs_Work", args, first);
    expect(last.result.content).toEqual([{ type: "text", text: `${name} is done` }]);
    expect(await seen(url, name)).toEqual(["begun", "done"]);
    // Asked again, it gives the same result.
    expect((await call("Jobs_Work", { task_id: id })).result.content).toEqual(last.result.content);
  });

  it("joins the work with a repeated call of the same input", async () => {
    const name = newName();
    const args = { name, held: true };
    const [one, two] = await Promise.all([call("Jobs_Work", args), call("Jobs_Work", args)]);
    expect(taskIdOf(one)).toBe(taskIdOf(two));
    const three = await call("Jobs_Work", { held: true, name });
    expect(taskIdOf(three)).toBe(taskIdOf(one));
    await release(url, name);
    await finish(call, "Jobs_Work", args, three);
    expect(await seen(url, name)).toEqual(["begun", "done"]);
  });

  it("gets a result that nobody was given, and another run once it was given", async () => {
    const name = newName();
    const args = { name, held: true };
    await call("Jobs_Work", args);
    await release(url, name);
    await untilSeen(name, ["begun", "done"]);
    const { result } = await call("Jobs_Work", args);
    expect(result.content).toEqual([{ type: "text", text: `${name} is done` }]);
    expect(await seen(url, name)).toEqual(["begun", "done"]);
    await call("Jobs_Work", args);
    await untilSeen(name, ["begun", "done", "begun"]);
    await release(url, name);
  });

  it("is refused with a task_id that is unknown, another tool's, or no text", async () => {
    const other = taskIdOf(await call("Jobs_Work", { name: newName(), held: true }));
    for (const [tool, task_id] of [
      ["Jobs_Work", "unknown"],
      ["Jobs_Work", "x".repeat(5_000)],
      ["Other_Work", other],
    ] as const) {
      const { result } = await call(tool, { name: "n", task_id });
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toContain("without task_id");
    }
    const { error } = await call("Jobs_Work", { name: "n", task_id: 5 });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("task_id") });
    for (const task_id of [null, ""]) {
      const { result } = await call("Jobs_Work", { name: newName(), task_id });
      expect(result).not.toHaveProperty("isError");
    }
  });

  it("gets failures as they are", async () => {
    const failed = await call("Jobs_Ends", { how: "tool error" }, patient.url);
    const plain = await call("Jobs_EndsAtOnce", { how: "tool error" });
    expect(failed.result).toEqual(plain.result);
  });
});

describe.concurrent("results as structured content", () => {
  it.each(CLIENTS)("are those of a tool without output schema (%s)", async (_, call) => {
    const long = await call("Jobs_Ends", { how: "object" }, patient.url);
    const plain = await call("Jobs_EndsAtOnce", { how: "object" });
    expect(long.result).toEqual(plain.result);
  });
});

describe.concurrent("a question of the tool", () => {
  const eliciting = { capabilities: { elicitation: {} } };

  it("is asked of a client of 2026-07-28 with its call, and its repeat answers the task", async () => {
    const name = newName();
    const params = { name: "Jobs_Ask", arguments: { what: "one", name } };
    const first = (await modern(url, "tools/call", params, eliciting)).body.result;
    expect(first).toMatchObject({ resultType: "input_required", inputRequests: { colour: expect.anything() } });
    const again = { ...params, requestState: first.requestState, inputResponses: { colour: saying("red") } };
    const { result } = (await modern(url, "tools/call", again, eliciting)).body;
    expect(result).toMatchObject({ resultType: "complete", structuredContent: ["red"] });
    expect(await seen(url, name)).toEqual(["begun", "answered"]);
  });

  it("is asked again if the answer does not fit, and two are answered in one repeat", async () => {
    const name = newName();
    const params = { name: "Jobs_Ask", arguments: { what: "two", name } };
    const answers = (requests: object, text: unknown) =>
      Object.fromEntries(Object.keys(requests).map((key) => [key, saying(text)]));
    let { result } = (await modern(url, "tools/call", params, eliciting)).body;
    for (let times = 0; times < 6 && result.resultType === "input_required"; times++) {
      const inputResponses = answers(result.inputRequests, times === 0 ? 5 : "red");
      const again = { ...params, requestState: result.requestState, inputResponses };
      result = (await modern(url, "tools/call", again, eliciting)).body.result;
    }
    expect(result.structuredContent).toEqual(["red", "red"]);
    expect(await seen(url, name)).toEqual(["begun", "answered"]);
  });

  it("is asked of a client of 2025-11-25 over its stream, during the wait", async () => {
    const name = newName();
    const session = await handshake(`${url}/mcp`, {}, { elicitation: {} });
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "Jobs_Ask", arguments: { what: "one", name } },
    };
    const stream = streamOf(await post(`${url}/mcp`, message, session));
    const question = await stream.nextData();
    expect(question).toMatchObject({ method: "elicitation/create", params: { message: "Which colour?" } });
    await post(`${url}/mcp`, { jsonrpc: "2.0", id: question.id, result: saying("red") }, session);
    const answer = await stream.nextData();
    expect(answer.result.content).toEqual([{ type: "text", text: '["red"]' }]);
    expect(await seen(url, name)).toEqual(["begun", "answered"]);
  });

  it("stays open if the session of a client of 2025-11-25 ends: the next call is asked it", async () => {
    const name = newName();
    const params = { name: "Jobs_Ask", arguments: { what: "one", name, idempotency_key: name } };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const ask = async () => {
      const session = await handshake(`${local.url}/mcp`, {}, { elicitation: {} });
      const stream = streamOf(await post(`${local.url}/mcp`, message, session));
      return { session, stream, question: await stream.nextData() };
    };
    // A tool gives up after three answers that do not fit.
    for (let times = 0; times < 3; times++) {
      const { session, stream, question } = await ask();
      expect(question).toMatchObject({ params: { message: "Which colour?" } });
      await fetch(`${local.url}/mcp`, { method: "DELETE", headers: session });
      await stream.rest().catch(() => {});
    }
    const last = await ask();
    expect(last.question).toMatchObject({ params: { message: "Which colour?" } });
    const answer = { jsonrpc: "2.0", id: last.question.id, result: saying("red") };
    await post(`${local.url}/mcp`, answer, last.session);
    expect((await last.stream.nextData()).result.content).toEqual([{ type: "text", text: '["red"]' }]);
    expect(await seen(local.url, name)).toEqual(["begun", "answered"]);
  });

  // "Callers without a credential cannot be told apart behind one address" (docs/tasks.md, Asking).
  it.each([
    ["joins the task of the same input under npm start, where all callers are the owner", () => local.url, 1],
    ["has a task of its own on a public deployment, where somebody else may have begun that one", () => url, 2],
  ] as const)("is no reason against joining: a repeated call %s", async (_, at, runs) => {
    const repeated = async (capabilities: object) => {
      const name = newName();
      const call = () => callModern(at(), "Jobs_Work", { name, held: true }, { capabilities });
      const [first, second] = [taskIdOf(await call()), taskIdOf(await call())];
      expect(new Set([first, second]).size, JSON.stringify(capabilities)).toBe(runs);
      expect(await seen(at(), name)).toEqual(Array(runs).fill("begun"));
      await release(at(), name);
    };
    await Promise.all([{ elicitation: {} }, { sampling: {} }, { roots: {} }].map(repeated));
  });

  it("that a repeated call under npm start has joined is asked of it, and runs once", async () => {
    const name = newName();
    const params = { name: "Jobs_Ask", arguments: { what: "one", name } };
    await modern(local.url, "tools/call", params, eliciting);
    const second = (await modern(local.url, "tools/call", params, eliciting)).body.result;
    const again = { ...params, requestState: second.requestState, inputResponses: { colour: saying("red") } };
    const { result } = (await modern(local.url, "tools/call", again, eliciting)).body;
    expect(result).toMatchObject({ resultType: "complete", structuredContent: ["red"] });
    expect(await seen(local.url, name)).toEqual(["begun", "answered"]);
  });

  it("is refused to a client that cannot be asked, with words that say why", async () => {
    const modernAnswer = await callModern(url, "Jobs_Ask", { what: "one", name: newName() }, PLAIN);
    expect(modernAnswer.error).toMatchObject({ code: -32021, message: expect.stringContaining("Which colour?") });
    for (const call of [legacy("2025-11-25"), bareDialect]) {
      const { result } = await call("Jobs_Ask", { what: "one", name: newName() });
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toContain("Which colour?");
      expect(result.content[0].text).toContain("elicitation");
    }
  });
});

describe.concurrent("progress", () => {
  it("reaches a client that asked for it, while it waits", async () => {
    const name = newName();
    const params = { name: "Jobs_Work", arguments: { name, ms: 4_000, reports: ["one", "two"], held: true } };
    // A response without progress is JSON.
    const call = async (given: object, progressToken: string) => {
      const response = await postModern(url, "tools/call", given, { ...PLAIN, meta: { progressToken } });
      if (response.headers.get("content-type") !== "text/event-stream") return [await response.json()];
      return (await streamOf(response).rest()).map(({ data }) => data).filter(Boolean);
    };
    // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
    const events: any[] = await call(params, "p");
    const { result } = events.at(-1);
    // The wait may be over before the first report is stored.
    for (const { method, params: given } of events.slice(0, -1)) {
      expect(method).toBe("notifications/progress");
      expect(given).toMatchObject({ progressToken: "p", total: 2 });
      expect(["1 one", "2 two"]).toContain(`${given.progress} ${given.message}`);
    }
    const again = { name: "Jobs_Work", arguments: { task_id: result._meta.task_id } };
    let later = await call(again, "q");
    while (later.length < 2) later = await call(again, "q");
    expect(later[0]).toMatchObject({ method: "notifications/progress", params: { progressToken: "q" } });
    await release(url, name);
  });
});

describe.concurrent("a client that is gone", () => {
  it("does not end the work by cancelling its request, and its repeated call gets the result", async () => {
    const name = newName();
    const args = { name, held: true };
    const session = await handshake(`${url}/mcp`);
    const message = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "Jobs_Work", arguments: args } };
    const call = post(`${url}/mcp`, message, session);
    await untilSeen(name, ["begun"]);
    await post(`${url}/mcp`, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }, session);
    await (await call).text();
    await release(url, name);
    await untilSeen(name, ["begun", "done"]);
    await sleep(300);
    const { body } = await postJson(`${url}/mcp`, { ...message, id: 8 }, { accept: "application/json", ...session });
    expect(body.result.content).toEqual([{ type: "text", text: `${name} is done` }]);
    expect(await seen(url, name)).toEqual(["begun", "done"]);
  });
});

describe.concurrent("a tool with a session", () => {
  const open: Caller = (name, args) => callModern(url, name, args, PLAIN);

  it("keeps values of one conversation, also if its calls outlast the wait", async () => {
    const first = await callModern(url, "Jobs_Remembers", { text: "a" }, PLAIN);
    const { session } = first.result._meta;
    expect(first.result.structuredContent).toEqual(["a"]);
    const working = await callModern(url, "Jobs_Remembers", { text: "b", ms: 2_500, session }, PLAIN);
    const done = await finish(open, "Jobs_Remembers", { session }, working);
    expect(done.result.structuredContent).toEqual(["a", "b"]);
    expect(done.result._meta.session).toBe(session);
  });

  it("has a handle from its first call on, also if that outlasts the wait", async () => {
    const working = await callModern(url, "Jobs_Remembers", { text: "a", ms: 2_500 }, PLAIN);
    const done = await finish(open, "Jobs_Remembers", {}, working);
    expect(done.result.structuredContent).toEqual(["a"]);
    const { session } = done.result._meta;
    const next = await callModern(url, "Jobs_Remembers", { text: "b", session }, PLAIN);
    expect(next.result.structuredContent).toEqual(["a", "b"]);
  });

  it("gives a repeated key of another session a conflict, and one that would have started a session no handle", async () => {
    const key = { ...PLAIN, headers: { "idempotency-key": newName() } };
    const first = await callModern(url, "Jobs_Remembers", { text: "a" }, key);
    expect(first.result._meta.session).toEqual(expect.any(String));
    // Nobody knows whether this is the same person.
    const repeated = await callModern(url, "Jobs_Remembers", { text: "a" }, key);
    expect(repeated.result).toMatchObject({ structuredContent: ["a"], _meta: { replayed: true } });
    expect(repeated.result._meta).not.toHaveProperty("session");
    const { session } = (await callModern(url, "Jobs_Remembers", { text: "b" }, PLAIN)).result._meta;
    const other = await callModern(url, "Jobs_Remembers", { text: "a", session }, key);
    expect(other.error).toMatchObject({ code: -32602, message: expect.stringContaining("in another session") });
  });

  it("gives a client with tasks its handle, too", async () => {
    const id = await startTask(url, "Jobs_Remembers", { text: "a" });
    const read = async () => (await modern(url, "tasks/get", { taskId: id })).body.result;
    await vi.waitFor(async () => expect((await read()).status).toBe("completed"), 10_000);
    const { session } = (await read()).result._meta;
    const next = await callModern(url, "Jobs_Remembers", { text: "b", session }, PLAIN);
    expect(next.result.structuredContent).toEqual(["a", "b"]);
  });
});
