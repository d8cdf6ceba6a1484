/** Tasks of MCP 2026-07-28, over real HTTP: creation, states, results and errors. Quotes are the extension's text. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  asking,
  callModern,
  endOf,
  type Long,
  modern,
  newName,
  postModern,
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

const PLAIN = { capabilities: {} };

describe("announcing", () => {
  it('is in server/discover: "an empty object indicates support"', async () => {
    const { body } = await modern(url, "server/discover");
    expect(body.result.capabilities.extensions).toEqual({ "io.modelcontextprotocol/tasks": {} });
  });

  it("adds a parameter to long tools only, which have no output schema, and adds no tool", async () => {
    const { body } = await modern(url, "tools/list");
    const tools: { name: string; inputSchema: { properties?: object }; outputSchema?: object }[] = body.result.tools;
    for (const { name, inputSchema, outputSchema } of tools) {
      const isLong = !["Jobs_Seen", "Jobs_Release", "Jobs_EndsAtOnce", "Jobs_Quiet", "Jobs_Stubborn"].includes(name);
      expect([name, "task_id" in (inputSchema.properties ?? {})]).toEqual([name, isLong]);
      if (isLong) expect([name, outputSchema]).toEqual([name, undefined]);
    }
    expect(tools.find(({ name }) => name === "Jobs_Seen")?.outputSchema).toBeDefined();
    expect(tools.map(({ name }) => name).filter((name) => !/^(Jobs|Other)_/.test(name))).toEqual([]);
  });
});

describe("creation", () => {
  it('answers at once, flat: "type CreateTaskResult = Result & Task", with resultType "task"', async () => {
    const name = newName();
    const { result } = await callModern(url, "Jobs_Work", { name, ms: 3_000 });
    expect(result).toEqual({
      resultType: "task",
      taskId: expect.stringMatching(/^[\w-]{22,}$/),
      status: "working",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ttlMs: expect.any(Number),
      pollIntervalMs: expect.any(Number),
    });
    expect(Number.isInteger(result.ttlMs) && result.ttlMs > 0).toBe(true);
  });

  it('is durable: "until a tasks/get for the returned taskId would resolve"', async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const id = await startTask(url, "Jobs_Work", { name: newName(), ms: 2_000 });
        expect(await taskOf(url, id)).toMatchObject({ taskId: id, resultType: "complete" });
        return id;
      }),
    );
    expect(new Set(ids).size).toBe(8);
  });

  it("has an id that begins with a letter: a workflow takes none that begins with a hyphen", async () => {
    const id = await startTask(url, "Jobs_Ends", { how: "text" });
    expect(id).toMatch(/^t[\w-]{21,99}$/);
    expect((await endOf(url, id)).status).toBe("completed");
  });

  it("makes a task for each call, also of the same input", async () => {
    const name = newName();
    const one = await startTask(url, "Jobs_Work", { name, ms: 100 });
    const two = await startTask(url, "Jobs_Work", { name, ms: 100 });
    expect(one).not.toBe(two);
    await Promise.all([endOf(url, one), endOf(url, two)]);
    expect((await seen(url, name)).filter((what) => what === "done")).toHaveLength(2);
  });

  it("leaves a tool that is not long as it is, for a client that declares the extension", async () => {
    const declared = await callModern(url, "Jobs_EndsAtOnce", { how: "object" });
    const plain = await callModern(url, "Jobs_EndsAtOnce", { how: "object" }, PLAIN);
    expect(declared).toEqual(plain);
    expect(declared.result.resultType).toBe("complete");
  });

  it('never happens "to a client that did not include the extension capability on its request"', async () => {
    const id = await startTask(url, "Jobs_Work", { name: newName(), ms: 10 });
    const { result } = await callModern(url, "Jobs_Work", { name: newName(), ms: 10 }, PLAIN);
    expect(result.resultType).toBe("complete");
    await endOf(url, id);
  });

  it("refuses mistakes in the request as for any tool", async () => {
    const plain = await callModern(url, "Jobs_EndsAtOnce", { how: "so" });
    expect(await callModern(url, "Jobs_Ends", { how: "so" })).toEqual(plain);
    expect((await callModern(url, "Jobs_None")).error.code).toBe(-32602);
    expect((await callModern(url, "Jobs_Work", { name: "n", task_id: 1 })).error.code).toBe(-32602);
  });
});

describe("states", () => {
  it("works, and is then completed, with resultType complete in each answer", async () => {
    const name = newName();
    const id = await startTask(url, "Jobs_Work", { name, ms: 3_000 });
    const working = await taskOf(url, id);
    expect(working).toMatchObject({ resultType: "complete", status: "working" });
    expect(working).not.toHaveProperty("result");
    const completed = await endOf(url, id);
    expect(completed).toMatchObject({
      resultType: "complete",
      taskId: id,
      status: "completed",
      createdAt: working.createdAt,
      ttlMs: working.ttlMs,
      result: { content: [{ type: "text", text: `${name} is done` }], structuredContent: `${name} is done` },
    });
    expect(Date.parse(completed.lastUpdatedAt)).toBeGreaterThan(Date.parse(completed.createdAt));
    expect(await taskOf(url, id)).toEqual({ ...completed, pollIntervalMs: expect.any(Number) });
    expect(await seen(url, name)).toEqual(["begun", "done"]);
  });

  it.each(["text", "object", "nothing", "blocks", "tool error", "error to repeat", "error", "not JSON"])(
    'ends as a plain call does: "exactly what the underlying request would have returned" (%s)',
    async (how) => {
      const { result } = await callModern(url, "Jobs_EndsAtOnce", { how });
      const id = await startTask(url, "Jobs_Ends", { how });
      const task = await endOf(url, id);
      // "Errors within the context of a protocol method result MUST use the completed status".
      expect(task.status).toBe("completed");
      expect(task.result).toEqual(result);
    },
  );

  it('fails "due to a JSON-RPC error during execution": error, and a statusMessage', async () => {
    const id = await startTask(url, "Jobs_Ask", { what: "roots" });
    const task = await endOf(url, id);
    expect(task).toMatchObject({
      resultType: "complete",
      status: "failed",
      statusMessage: expect.stringContaining("roots"),
      error: { code: -32021, message: expect.stringContaining("roots") },
    });
    expect(task).not.toHaveProperty("result");
    expect(task.statusMessage).toBe(task.error.message);
  });

  it("times out as a result, and stops the tool", async () => {
    const name = newName();
    const task = await endOf(url, await startTask(url, "Jobs_Short", { name, ms: 60_000 }));
    expect(task.status).toBe("completed");
    expect(task.result.isError).toBe(true);
    expect(task.result.content[0].text).toContain("3000 ms");
    await expect.poll(() => seen(url, name), { timeout: 10_000 }).toEqual(["begun", "TimeoutError"]);
  });

  it("has the tool's progress as statusMessage, and sends no notifications of it", async () => {
    const name = newName();
    const response = await postModern(
      url,
      "tools/call",
      { name: "Jobs_Work", arguments: { name, ms: 4_000, reports: ["the first half", "the second half"] } },
      { meta: { progressToken: "p", "io.modelcontextprotocol/logLevel": "debug" } },
    );
    const text = await response.text();
    expect(text).not.toContain("notifications/");
    const { taskId } = JSON.parse(text.replace(/^[^{]*/, "")).result;
    const first = await taskWhen(url, taskId, ({ statusMessage }) => statusMessage !== undefined);
    expect(first).toMatchObject({ status: "working", statusMessage: "the first half" });
    const second = await taskWhen(url, taskId, ({ statusMessage }) => statusMessage !== "the first half");
    expect(second.statusMessage).toBe("the second half");
    await endOf(url, taskId);
  });
});

describe("tasks/cancel", () => {
  it('acknowledges "with an empty result", says cancelled at once, and stops the tool', async () => {
    const name = newName();
    const taskId = await startTask(url, "Jobs_Work", { name, ms: 60_000 });
    await expect.poll(() => seen(url, name), { timeout: 10_000 }).toEqual(["begun"]);
    const { status, body } = await modern(url, "tasks/cancel", { taskId });
    expect(status).toBe(200);
    expect(body.result).toEqual({ resultType: "complete" });
    const task = await taskOf(url, taskId);
    expect(task).toMatchObject({ status: "cancelled", statusMessage: expect.any(String) });
    expect(task).not.toHaveProperty("result");
    await expect.poll(() => seen(url, name), { timeout: 10_000 }).toEqual(["begun", "AbortError"]);
    // The run has heard of it, and its end does not change the state.
    await sleep(500);
    expect((await taskOf(url, taskId)).status).toBe("cancelled");
  });

  it("acknowledges for a task that has ended, which keeps its result", async () => {
    const taskId = await startTask(url, "Jobs_Ends", { how: "text" });
    const task = await endOf(url, taskId);
    expect((await modern(url, "tasks/cancel", { taskId })).body.result).toEqual({ resultType: "complete" });
    expect(await taskOf(url, taskId)).toEqual({ ...task, pollIntervalMs: expect.any(Number) });
  });

  it("ends a task that waits for input, which no answer wakes again", async () => {
    const name = newName();
    const taskId = await startTask(url, "Jobs_Ask", { what: "one", name }, { capabilities: ELICITING });
    await asking(url, taskId);
    await modern(url, "tasks/cancel", { taskId });
    const task = await taskOf(url, taskId);
    expect(task.status).toBe("cancelled");
    expect(task).not.toHaveProperty("inputRequests");
    expect((await update(url, taskId, { colour: saying("red") })).body.result).toEqual({ resultType: "complete" });
    await sleep(1_500);
    expect((await taskOf(url, taskId)).status).toBe("cancelled");
    expect(await seen(url, name)).toEqual(["begun"]);
  });
});

const ELICITING = { ...TASKS, elicitation: {} };
const METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const;
const paramsOf = (method: string, taskId: string) => ({
  taskId,
  ...(method === "tasks/update" && { inputResponses: {} }),
});

describe.each(METHODS)("%s refuses", (method) => {
  it.each(["unknown", "", "a".repeat(2_000), "ä task", "786512e2-9e0d-44bd-8f29-789f320fe840"])(
    '"Invalid or nonexistent taskId: -32602" (%#)',
    async (taskId) => {
      const name = /^[\x21-\x7e]*$/.test(taskId) ? taskId : `=?base64?${Buffer.from(taskId).toString("base64")}?=`;
      const { body } = await modern(url, method, paramsOf(method, taskId), { headers: { "mcp-name": name } });
      expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining("Task not found") });
    },
  );

  it("params without a task id", async () => {
    expect((await modern(url, method, {})).body.error.code).toBe(-32602);
    expect((await modern(url, method, { taskId: 5 })).body.error.code).toBe(-32602);
  });

  it('"non-declaring clients": -32021, with what is missing', async () => {
    const taskId = await startTask(url, "Jobs_Ends", { how: "text" });
    for (const capabilities of [{}, { extensions: {} }, { tasks: {} }, { extensions: { [KEY]: null } }]) {
      const { status, body } = await modern(url, method, paramsOf(method, taskId), { capabilities });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [KEY]: {} } } } });
    }
  });

  it('a request whose Mcp-Name is not "the value of params.taskId"', async () => {
    const taskId = await startTask(url, "Jobs_Ends", { how: "text" });
    for (const name of ["", "another"]) {
      const { status, body } = await modern(url, method, paramsOf(method, taskId), { headers: { "mcp-name": name } });
      expect([status, body.error.code]).toEqual([400, -32020]);
    }
    const { body } = await modern(url, method, paramsOf(method, taskId));
    expect(body.error).toBeUndefined();
  });
});

const KEY = "io.modelcontextprotocol/tasks";

describe("a tool for clients with tasks only", () => {
  it('"MUST return an error with the code -32021" to others, and runs nothing', async () => {
    const name = newName();
    const { status, body } = await modern(url, "tools/call", { name: "Jobs_Only", arguments: { name } }, PLAIN);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [KEY]: {} } } } });
    expect(await seen(url, name)).toEqual([]);
  });

  it("runs for those who declare the extension", async () => {
    const name = newName();
    expect((await endOf(url, await startTask(url, "Jobs_Only", { name }))).status).toBe("completed");
  });
});

describe("large results", () => {
  it.each([
    ["one and a half MB", 1_500_000],
    ["nine MB", 9_000_000],
  ])("are kept: %s", async (how, size) => {
    const task = await endOf(url, await startTask(url, "Jobs_Ends", { how }));
    expect(task.status).toBe("completed");
    expect(task.result.content[0].text).toHaveLength(size);
    expect((await modern(url, "tasks/cancel", { taskId: task.taskId })).status).toBe(200);
  });

  it("end as a failure that says so if they are too large", async () => {
    const task = await endOf(url, await startTask(url, "Jobs_Ends", { how: "forty MB" }));
    expect(task.status).toBe("completed");
    expect(task.result).toMatchObject({
      isError: true,
      content: [{ text: "The tool's result is too large to be kept." }],
    });
  });
});

describe("a deployment without long tools", () => {
  let other: Long;
  beforeAll(async () => {
    other = await serveLong({ tools: { "math/one.ts": PLAIN_TOOL }, more: "" });
  });
  afterAll(() => other?.stop());

  it("has neither the extension nor its methods", async () => {
    const { body } = await modern(other.url, "server/discover");
    expect(body.result.capabilities).not.toHaveProperty("extensions");
    for (const method of METHODS) {
      const answer = await modern(other.url, method, paramsOf(method, "x"));
      expect([answer.status, answer.body.error.code]).toEqual([404, -32601]);
    }
  });
});

const PLAIN_TOOL = `import { defineTool } from "#tool";
export default defineTool({ version: "1.0.0", description: "Returns one.", run: () => 1 });
`;
