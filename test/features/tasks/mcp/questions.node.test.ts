/** What a task asks its client (tasks extension, Task Update Requests), over real HTTP. Quotes are the extension's text. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  asking,
  callModern,
  endOf,
  type Long,
  modern,
  newName,
  saying,
  seen,
  serveLong,
  startTask,
  TASKS,
  taskOf,
  taskWhen,
  update,
} from "../../../support/node/long.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  server = await serveLong();
  url = server.url;
});
afterAll(() => server?.stop());

const ASKABLE = { capabilities: { ...TASKS, elicitation: { form: {}, url: {} }, roots: {}, sampling: {} } };
const ask = (what: string, name = newName()) => startTask(url, "Jobs_Ask", { what, name }, ASKABLE);
const keysOf = ({ inputRequests }: { inputRequests?: object }) => Object.keys(inputRequests ?? {});
const answersOf = (task: { result: { structuredContent: unknown } }) => task.result.structuredContent;

const formOf = (message: string) => ({
  method: "elicitation/create",
  params: {
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: { text: { type: "string", description: "Your answer." } },
      required: ["text"],
    },
  },
});

it("asks one question, gets its answer, and goes on without running again", async () => {
  const name = newName();
  const taskId = await ask("one", name);
  const task = await asking(url, taskId);
  expect(task).toMatchObject({ resultType: "complete", status: "input_required" });
  expect(task.inputRequests).toEqual({ colour: formOf("Which colour?") });
  // "The server includes the same request again, despite the client having already seen this information".
  expect((await taskOf(url, taskId)).inputRequests).toEqual(task.inputRequests);
  const { body } = await update(url, taskId, { colour: saying("red") });
  expect(body.result).toEqual({ resultType: "complete" });
  const done = await endOf(url, taskId);
  expect(answersOf(done)).toEqual(["red"]);
  expect(done).not.toHaveProperty("inputRequests");
  expect(await seen(url, name)).toEqual(["begun", "answered"]);
});

it('asks two at once: "MUST contain all outstanding requests"', async () => {
  const taskId = await ask("two");
  const task = await taskWhen(url, taskId, (one) => keysOf(one).length === 2);
  expect(task.inputRequests).toEqual({ colour: formOf("Which colour?"), size: formOf("Which size?") });
  await update(url, taskId, { size: saying("small"), colour: saying("red") });
  expect(answersOf(await endOf(url, taskId))).toEqual(["red", "small"]);
});

it('takes a partial answer: "the task remains in input_required until the remaining responses arrive"', async () => {
  const taskId = await ask("two");
  await taskWhen(url, taskId, (one) => keysOf(one).length === 2);
  await update(url, taskId, { size: saying("small") });
  const left = await taskWhen(url, taskId, (one) => keysOf(one).length < 2);
  expect([left.status, keysOf(left)]).toEqual(["input_required", ["colour"]]);
  await update(url, taskId, { colour: saying("red") });
  expect(answersOf(await endOf(url, taskId))).toEqual(["red", "small"]);
});

it.each(["decline", "cancel"])("passes on that the user chose to %s", async (action) => {
  const taskId = await ask("one");
  await asking(url, taskId);
  await update(url, taskId, { colour: { action } });
  expect(answersOf(await endOf(url, taskId))).toEqual([action]);
});

it.each([
  ["an answer of the wrong type", saying(5)],
  ["an answer without its field", { action: "accept", content: {} }],
  ["no answer at all", "red"],
])('asks again after %s, under another key: "MUST NOT reuse a key"', async (_, wrong) => {
  const taskId = await ask("one");
  await asking(url, taskId);
  await update(url, taskId, { colour: wrong });
  const again = await taskWhen(url, taskId, (one) => keysOf(one).some((key) => key !== "colour"));
  const [key = "", ...others] = keysOf(again);
  expect(others).toEqual([]);
  expect(again.inputRequests[key]).toEqual(formOf("Which colour?"));
  // The old key is "already answered", so it is ignored.
  await update(url, taskId, { colour: saying("blue") });
  await sleep(1_000);
  expect(keysOf(await taskOf(url, taskId))).toEqual([key]);
  await update(url, taskId, { [key]: saying("red") });
  expect(answersOf(await endOf(url, taskId))).toEqual(["red"]);
});

it("gives up after three answers that do not fit, and says so", async () => {
  const taskId = await ask("one");
  const keys = new Set<string>();
  for (let times = 1; times <= 3; times++) {
    const task = await taskWhen(url, taskId, (one) => keysOf(one).some((key) => !keys.has(key)));
    for (const key of keysOf(task)) keys.add(key);
    await update(url, taskId, Object.fromEntries([...keys].map((key) => [key, saying(5)])));
  }
  expect(keys.size).toBe(3);
  const { status, result } = await endOf(url, taskId);
  expect([status, result.isError]).toEqual(["completed", true]);
  expect(result.content[0].text).toContain("do not fit");
});

it.each([
  ["the same key twice", ["Which colour?", "Which colour?"]],
  ["the same key, other words", ["Which colour?", "And the second?"]],
  ["a key with a number", ["Which colour?", "Which colour now?", "Which colour at last?"]],
])(
  'uses each key once: "Each request key MUST be unique over the lifetime of a single task" (%s)',
  async (what, asked) => {
    const taskId = await ask(what);
    const keys: string[] = [];
    for (const [at, message] of asked.entries()) {
      const task = await taskWhen(url, taskId, (one) => keysOf(one).some((key) => !keys.includes(key)));
      const [key = "", ...others] = keysOf(task);
      expect(others).toEqual([]);
      expect(keys).not.toContain(key);
      expect(task.inputRequests[key]).toEqual(formOf(message));
      keys.push(key);
      await update(url, taskId, { [key]: saying(`answer ${at}`) });
    }
    expect(answersOf(await endOf(url, taskId))).toEqual(asked.map((_, at) => `answer ${at}`));
  },
);

it('ignores responses to "keys that were never issued"', async () => {
  const name = newName();
  const taskId = await ask("one", name);
  await asking(url, taskId);
  const { body } = await update(url, taskId, JSON.parse(`{"other":1,"colour#2":{},"__proto__":{},"constructor":null}`));
  expect(body.result).toEqual({ resultType: "complete" });
  await sleep(1_000);
  expect(keysOf(await taskOf(url, taskId))).toEqual(["colour"]);
  await update(url, taskId, { other: saying("x"), colour: saying("red") });
  expect(answersOf(await endOf(url, taskId))).toEqual(["red"]);
  // The task has ended: nothing is outstanding.
  expect((await update(url, taskId, { colour: saying("blue") })).body.result).toEqual({ resultType: "complete" });
});

it("may ask under any key", async () => {
  const taskId = await ask("keys of every object");
  const task = await taskWhen(url, taskId, (one) => keysOf(one).length === 2);
  expect(keysOf(task)).toEqual(["constructor", "__proto__"]);
  await update(
    url,
    taskId,
    JSON.parse(
      JSON.stringify({ constructor: saying("red"), proto: saying("small") }).replace('"proto"', '"__proto__"'),
    ),
  );
  expect(answersOf(await endOf(url, taskId))).toEqual(["red", "small"]);
});

it("may ask under a key that is no well-formed text, as when a caller's text was cut for it", async () => {
  const taskId = await ask("half a character");
  const task = await asking(url, taskId);
  expect(keysOf(task)).toEqual(["colour \ufffd"]);
  await update(url, taskId, { "colour \ufffd": saying("red") });
  expect(answersOf(await endOf(url, taskId))).toEqual(["red"]);
});

it("ignores responses that come before the question", async () => {
  const taskId = await startTask(url, "Jobs_Work", { name: newName(), ms: 1_000 });
  expect((await update(url, taskId, { colour: saying("red") })).body.result).toEqual({ resultType: "complete" });
  expect((await endOf(url, taskId)).status).toBe("completed");
});

it.each([undefined, null, "colour", [1]])("refuses inputResponses that are no object (%j)", async (inputResponses) => {
  const taskId = await startTask(url, "Jobs_Work", { name: newName() });
  const { body } = await modern(url, "tasks/update", {
    taskId,
    ...(inputResponses !== undefined && { inputResponses }),
  });
  expect(body.error.code).toBe(-32602);
});

it("stays in input_required if nobody answers, longer than a lease, and needs no second run", async () => {
  const name = newName();
  const taskId = await ask("one", name);
  await asking(url, taskId);
  await sleep(10_000);
  expect(await taskOf(url, taskId)).toMatchObject({ status: "input_required" });
  await update(url, taskId, { colour: saying("red") });
  expect(answersOf(await endOf(url, taskId))).toEqual(["red"]);
  expect(await seen(url, name)).toEqual(["begun", "answered"]);
});

describe("every kind of question", () => {
  it.each([
    ["page", "pay", "elicitation/create", { action: "accept" }, ["accept"]],
    ["roots", "folders", "roots/list", { roots: [{ uri: "file:///a" }] }, ["file:///a"]],
    [
      "model",
      "poem",
      "sampling/createMessage",
      { role: "assistant", content: { type: "text", text: "Roses" }, model: "m-1", stopReason: "endTurn" },
      ["m-1"],
    ],
  ])("%s", async (what, key, method, answer, answers) => {
    const taskId = await ask(what);
    const task = await asking(url, taskId);
    expect([keysOf(task), task.inputRequests[key].method]).toEqual([[key], method]);
    await update(url, taskId, { [key]: answer });
    expect(answersOf(await endOf(url, taskId))).toEqual(answers);
  });
});

it("is not asked of a client that has not declared the capability: the task fails with -32021", async () => {
  const taskId = await startTask(url, "Jobs_Ask", { what: "one" });
  const task = await endOf(url, taskId);
  expect(task.status).toBe("failed");
  expect(task.error).toMatchObject({ code: -32021, message: expect.stringContaining("Which colour?") });
});

describe("prepare", () => {
  const prepared = (how: string, args: object = {}, more: object = {}) =>
    modern(
      url,
      "tools/call",
      { name: "Jobs_Prepared", arguments: { name: newName(), how, ...args }, ...more },
      ASKABLE,
    );

  it('asks before the task: "SHOULD resolve all MRTR exchanges synchronously"', async () => {
    const name = newName();
    const first = (await prepared("asks", { name })).body.result;
    expect(first).toMatchObject({ resultType: "input_required", inputRequests: { who: expect.anything() } });
    const { requestState } = first;
    const answers = { who: { action: "accept", content: { who: "Ada" } } };
    const { result } = (await prepared("asks", { name }, { requestState, inputResponses: answers })).body;
    expect(result.resultType).toBe("task");
    expect((await endOf(url, result.taskId)).result.structuredContent).toEqual({ prepared: { who: "Ada" } });
    expect((await seen(url, name)).filter((what) => what === "run")).toHaveLength(1);
  });

  it("fails before the task, as an ordinary result", async () => {
    const name = newName();
    const { result } = (await prepared("fails", { name })).body;
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(result.content[0].text).toContain("There is nothing to do");
    expect(await seen(url, name)).toEqual(["prepared"]);
  });

  it("gives run what it returned, as JSON", async () => {
    const { taskId } = (await prepared("is ready")).body.result;
    const { result } = await endOf(url, taskId);
    expect(result.structuredContent).toEqual({ prepared: { at: "1970-01-01T00:00:00.000Z", list: [1] } });
    const nothing = (await prepared("prepares nothing")).body.result;
    expect((await endOf(url, nothing.taskId)).result.structuredContent).toEqual({ prepared: "nothing" });
  });

  it("refuses a client that cannot be asked", async () => {
    const answer = await callModern(url, "Jobs_Prepared", { name: newName(), how: "asks" }, { capabilities: TASKS });
    expect(answer.error).toMatchObject({ code: -32021, message: expect.stringContaining("For whom?") });
  });
});

describe("steps", () => {
  it("return what they did, also of the same name; their errors stay what they are", async () => {
    const name = newName();
    const { result } = await endOf(url, await startTask(url, "Jobs_Steps", { name }));
    expect(result.structuredContent).toEqual([
      { n: 1, list: [1, null] },
      { n: 2, list: [2, null] },
      "nothing",
      "a ToolError: The step has failed",
      "once",
    ]);
    expect(await seen(url, name)).toEqual(["page 1", "page 2"]);
  });

  it("fail the tool with their own error", async () => {
    const { status, result } = await endOf(url, await startTask(url, "Jobs_Breaks"));
    expect([status, result.isError]).toEqual(["completed", true]);
    expect(result.content[0].text).toContain("The step has failed");
    expect(result.content[0].text).toContain("leave it out");
  });
});

describe("a page with an id", () => {
  const pageOf = (task: { inputRequests: object }) => Object.values(task.inputRequests)[0].params.url as string;
  const idIn = (page: string) => page.split("/").at(-1) ?? "";

  it("goes on when the user is done there, and each question has an id of its own", async () => {
    const taskId = await ask("a page with an id");
    const first = pageOf(await asking(url, taskId));
    expect(idIn(first)).toMatch(/^[\w-]{43}$/);
    await update(url, taskId, { pay: { action: "accept" } });
    await sleep(1_500);
    expect((await taskOf(url, taskId)).status).toBe("working");
    // What the tool looks for: that somebody was there.
    await startTask(url, "Jobs_Work", { name: idIn(first) });
    const again = await taskWhen(url, taskId, (one) => keysOf(one).length > 0);
    expect(pageOf(again)).not.toBe(first);
    await update(url, taskId, Object.fromEntries(keysOf(again).map((key) => [key, { action: "accept" }])));
    expect(answersOf(await endOf(url, taskId))).toEqual(["accept", idIn(pageOf(again))]);
  });

  it("is the same in the rounds of prepare, and of a client without tasks", async () => {
    const way = { capabilities: { elicitation: { form: {}, url: {} } } };
    const args = { name: newName(), how: "sends to a page" };
    const round = async (before?: { requestState: string }, inputResponses?: object) => {
      const more = before && { requestState: before.requestState, inputResponses };
      return (await modern(url, "tools/call", { name: "Jobs_Prepared", arguments: args, ...more }, way)).body.result;
    };
    const ACCEPT = { action: "accept" };
    const paying = await round(await round(), { sure: { ...ACCEPT, content: {} } });
    // A client that sends nothing new is asked the same again.
    expect(pageOf(await round(paying, {}))).toBe(pageOf(paying));
    const done = await round(paying, { pay: ACCEPT });
    expect(done.structuredContent.prepared).toEqual({ sure: "accept", paid: idIn(pageOf(paying)) });
  });
});

it("a conversation with the client's model, in which it uses a tool, is one question after the other", async () => {
  const withTools = { capabilities: { ...TASKS, sampling: { tools: {} } } };
  const taskId = await startTask(url, "Jobs_Ask", { what: "model with a tool" }, withTools);
  const use = { type: "tool_use", id: "u1", name: "trees", input: {} };
  const sampled = { role: "assistant", model: "m", stopReason: "toolUse", content: [use] };
  await asking(url, taskId);
  await update(url, taskId, { tree: sampled });
  const { inputRequests } = await taskWhen(url, taskId, (one) => keysOf(one).length > 0 && keysOf(one)[0] !== "tree");
  const [[key, { params }] = ["", { params: {} }]] = Object.entries<{ params: Record<string, unknown> }>(inputRequests);
  expect(params.messages).toEqual([
    { role: "user", content: { type: "text", text: "Which tree?" } },
    { role: "assistant", content: [use] },
    {
      role: "user",
      content: { type: "tool_result", toolUseId: "u1", content: [{ type: "text", text: "Beech" }] },
    },
  ]);
  const text = { type: "text", text: "A beech." };
  await update(url, taskId, { [key]: { role: "assistant", content: text, model: "m" } });
  expect(answersOf(await endOf(url, taskId))).toEqual([JSON.stringify(text)]);
});

it("a client without tools in sampling is not asked with tools", async () => {
  const { status, error, result } = await endOf(url, await ask("model with a tool"));
  expect(JSON.stringify([status, error ?? result])).toContain("sampling with tools");
});

it("a run knows the client of its call", async () => {
  const clientInfo = { "io.modelcontextprotocol/clientInfo": { name: "claude-ai", version: "1.2.0" } };
  const taskId = await startTask(url, "Jobs_Ask", { what: "client" }, { ...ASKABLE, meta: clientInfo });
  expect(answersOf(await endOf(url, taskId))).toEqual([
    ...["claude-ai", "2026-07-28"],
    ...["form", "page", "sample", "roots"],
    ...["capabilities", "name", "protocol", "revision", "version"],
  ]);
});
