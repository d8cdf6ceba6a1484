/** `subscriptions/listen` with task ids (tasks extension, Task Status Notifications). Quotes are the extension's text. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET } from "../../../support/node/attacks/tokens.ts";
import {
  asking,
  endOf,
  type Long,
  modern,
  newName,
  postModern,
  saying,
  serveLong,
  startTask,
  TASKS,
  taskOf,
  tokenOf,
  update,
  type Way,
} from "../../../support/node/long.ts";
import { type Stream, streamOf } from "../../../support/sse.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  server = await serveLong({ closed: true, vars: { JWT_SECRET: SECRET } });
  url = server.url;
});
afterAll(() => server?.stop());

const PATIENCE_MS = 20_000;
const ADA: Way = { headers: tokenOf("ada"), capabilities: { ...TASKS, elicitation: {} } };
const BOB: Way = { headers: tokenOf("bob") };
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

const listen = async (notifications: object, way = ADA): Promise<Stream> =>
  streamOf(await postModern(url, "subscriptions/listen", { notifications }, way), PATIENCE_MS);

/** The acknowledgement, which must come first. */
async function acknowledged(stream: Stream): Promise<unknown> {
  const { method, params } = await stream.nextData();
  expect(method).toBe("notifications/subscriptions/acknowledged");
  expect(params._meta).toMatchObject({ [SUBSCRIPTION]: 1 });
  return params.notifications;
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
type State = any;

/** The states of a task until it has ended. */
async function statesUntilEnd(stream: Stream): Promise<State[]> {
  const states: State[] = [];
  for (;;) {
    const { method, params } = await stream.nextData();
    expect([method, params._meta[SUBSCRIPTION]]).toEqual(["notifications/tasks", 1]);
    states.push(params);
    if (params.status !== "working" && params.status !== "input_required") return states;
  }
}
const bare = ({ _meta, pollIntervalMs, ...task }: State) => task;

it('acknowledges "the list of task IDs it has agreed to send", and sends each state once and in order', async () => {
  const name = newName();
  const id = await startTask(url, "Jobs_Work", { name, ms: 4_000, reports: ["one", "two"] }, ADA);
  const stream = await listen({ taskIds: [id] });
  expect(await acknowledged(stream)).toEqual({ taskIds: [id] });
  const states = await statesUntilEnd(stream);
  const heard = states.map(({ status, statusMessage }) => `${status}: ${statusMessage}`);
  const all = ["working: undefined", "working: one", "working: two", "completed: undefined"];
  // The first may have passed before the stream was open.
  expect(heard).toEqual(all.slice(-heard.length));
  // "Each notification carries a complete DetailedTask, identical to what tasks/get would have returned".
  const { resultType, ...got } = await taskOf(url, id, ADA);
  expect(bare(states.at(-1))).toEqual(bare(got));
  expect(states.every(({ taskId }) => taskId === id)).toBe(true);
  expect(await stream.isSilent(1_500)).toBe(true);
  await stream.close();
});

it("sends questions, and the states after the answers", async () => {
  const id = await startTask(url, "Jobs_Ask", { what: "one" }, ADA);
  const stream = await listen({ taskIds: [id] });
  await acknowledged(stream);
  await asking(url, id, ADA);
  let state: State;
  do state = (await stream.nextData()).params;
  while (state.status === "working");
  expect(state).toMatchObject({
    status: "input_required",
    inputRequests: { colour: { method: "elicitation/create" } },
  });
  await update(url, id, { colour: saying("red") }, ADA);
  const states = await statesUntilEnd(stream);
  expect(states.at(-1)).toMatchObject({ status: "completed", result: { structuredContent: ["red"] } });
  expect(states.filter(({ status }) => status === "input_required")).toEqual([]);
  await stream.close();
});

it("sends the state of a task that has ended before, and that it was cancelled", async () => {
  const [ended, cancelled] = [
    await startTask(url, "Jobs_Ends", { how: "text" }, ADA),
    await startTask(url, "Jobs_Work", { name: newName(), ms: 60_000 }, ADA),
  ];
  await endOf(url, ended, ADA);
  const stream = await listen({ taskIds: [ended, cancelled] });
  expect(await acknowledged(stream)).toEqual({ taskIds: [ended, cancelled] });
  const first = [(await stream.nextData()).params, (await stream.nextData()).params];
  expect(first.map(({ taskId, status }) => [taskId, status])).toEqual([
    [ended, "completed"],
    [cancelled, "working"],
  ]);
  await modern(url, "tasks/cancel", { taskId: cancelled }, ADA);
  const [last] = await statesUntilEnd(stream);
  expect(last).toMatchObject({ taskId: cancelled, status: "cancelled" });
  await stream.close();
});

it("sends each state of many tasks to each of two streams", async () => {
  const ids = await Promise.all(
    Array.from({ length: 10 }, () => startTask(url, "Jobs_Work", { name: newName(), ms: 3_000 }, ADA)),
  );
  const streams = await Promise.all([listen({ taskIds: ids }), listen({ taskIds: ids })]);
  for (const stream of streams) {
    expect(await acknowledged(stream)).toEqual({ taskIds: ids });
    const heard = new Map<string, string[]>();
    while ([...heard.values()].filter((states) => states.at(-1) === "completed").length < ids.length) {
      const { taskId, status } = (await stream.nextData()).params;
      heard.set(taskId, [...(heard.get(taskId) ?? []), status]);
    }
    for (const id of ids) expect(["working,completed", "completed"]).toContain(heard.get(id)?.join());
    expect(await stream.isSilent(500)).toBe(true);
    await stream.close();
  }
});

it("sends large results one after the other to a client that reads slowly", async () => {
  // A caller without other streams: the first beat, which a client must be ready to read, is 15 seconds away.
  const slow: Way = { headers: tokenOf("slow") };
  const ids = await Promise.all(
    ["a", "b", "c"].map((name) => startTask(url, "Jobs_Ends", { how: "nine MB", name }, slow)),
  );
  for (const id of ids) await endOf(url, id, slow);
  const stream = await listen({ taskIds: ids }, slow);
  await sleep(1_500);
  expect(await acknowledged(stream)).toEqual({ taskIds: ids });
  for (const id of ids) {
    const { taskId, status, result } = (await stream.nextData()).params;
    expect([taskId, status, result.content[0].text.length]).toEqual([id, "completed", 9_000_000]);
  }
  await stream.close();
});

it("does not acknowledge ids of other principals, nor unknown ones, nor repeated ones twice", async () => {
  const own = await startTask(url, "Jobs_Work", { name: newName(), ms: 2_000 }, BOB);
  const others = await startTask(url, "Jobs_Work", { name: newName(), ms: 2_000 }, ADA);
  const stream = await listen({ taskIds: [others, own, "unknown", own] }, BOB);
  expect(await acknowledged(stream)).toEqual({ taskIds: [own] });
  const states = await statesUntilEnd(stream);
  expect(new Set(states.map(({ taskId }) => taskId))).toEqual(new Set([own]));
  expect(new Set(states.map(({ status }) => status)).size).toBe(states.length);
  await stream.close();
});

it("goes together with other notifications", async () => {
  const id = await startTask(url, "Jobs_Work", { name: newName(), ms: 1_000 }, ADA);
  const stream = await listen({ toolsListChanged: true, taskIds: [id], resourceSubscriptions: [] });
  expect(await acknowledged(stream)).toEqual({ toolsListChanged: true, taskIds: [id] });
  expect((await statesUntilEnd(stream)).at(-1).status).toBe("completed");
  await stream.close();
  const plain = await listen({ toolsListChanged: true });
  expect(await acknowledged(plain)).toEqual({ toolsListChanged: true });
  await plain.close();
});

describe("refuses", () => {
  it('a client that "does not declare the extension capability": -32021', async () => {
    const { status, body } = await modern(
      url,
      "subscriptions/listen",
      { notifications: { taskIds: ["x"] } },
      { ...ADA, capabilities: {} },
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ id: 1, error: { code: -32021, data: { requiredCapabilities: TASKS } } });
  });

  it.each([[{ taskIds: "x" }], [{ taskIds: [1] }], [{ taskIds: Array.from({ length: 101 }, String) }]])(
    "what is no list of at most 100 ids (%#)",
    async (notifications) => {
      const { status, body } = await modern(url, "subscriptions/listen", { notifications }, ADA);
      expect([status, body.error.code]).toEqual([400, -32602]);
    },
  );
});
