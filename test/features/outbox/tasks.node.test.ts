/** The end of a task: its event, and the callbacks that were registered for it, by a call or later. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET as TOKENS } from "../../support/node/attacks/tokens.ts";
import { until } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { callModern, endOf, modern, startTask, tokenOf, type Way, WORKFLOW } from "../../support/node/long.ts";
import { type ServedOutbox, serveOutbox } from "../../support/node/outbox.ts";
import { type Received, type Receiver, startReceiver } from "../../support/node/receiver.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const PLAIN = "0123456789abcdef0123456789abcdef";

let receiver: Receiver;
let served: ServedOutbox;
beforeAll(async () => {
  receiver = await startReceiver();
  served = await serveOutbox({
    tools: "test/features/tasks/tools",
    hosts: [receiver.host],
    // Anyone may call, and who has a token of their own may have callbacks.
    vars: { LONG_WAIT_SECONDS: "0", TASK_LEASE_SECONDS: "2", LOCAL: "", TOKENS: "true", JWT_SECRET: TOKENS },
    more: WORKFLOW,
  });
});
afterAll(async () => {
  await served?.stop();
  await receiver?.stop();
});

let callers = 0;

/** A caller without a credential: these are told apart by their addresses. */
function stranger() {
  const address = `192.0.2.${++callers}`;
  return { ...using({ "cf-connecting-ip": address }), partition: `anonymous ${address}` };
}

const caller = () => using(tokenOf(`caller${++callers}`));

function using(headers: Record<string, string>) {
  const way = { headers };
  const api = async (path: string, body?: unknown) => {
    const url = `${served.url}/api/v1${path}`;
    if (body !== undefined) return postJson(url, body, way.headers);
    const response = await fetch(url, { headers: way.headers });
    return { status: response.status, body: await response.json() };
  };
  return { way, api, path: `/task${callers}` };
}

const FINISHED = { name: "task.finished", arguments: {} };
const finished = async (way: Way): Promise<{ readonly eventId: string; readonly data: object }[]> =>
  (await modern(served.url, "events/poll", { ...FINISHED, cursor: "0" }, way)).body.result.events;

const wait = async (path: string) => (await receiver.wait(path, 1))[0] as Received;
const bodyOf = (one: Received) => JSON.parse(one.body);

describe("task.finished", () => {
  it("is an event of the principal, once for each task", async () => {
    const { way, path } = caller();
    const delivery = { url: receiver.url(path), secret: SECRET };
    await modern(served.url, "events/subscribe", { ...FINISHED, delivery }, way);
    const task = await startTask(served.url, "Jobs_Run", {}, way);
    const got = await wait(path);
    expect(bodyOf(got)).toMatchObject({
      eventId: `evt_${task}`,
      name: "task.finished",
      data: { task_id: task, tool: "Jobs.Run", status: "completed" },
    });
    // The result is for callbacks only.
    expect(Object.keys(bodyOf(got).data)).toEqual(["task_id", "tool", "status"]);
    new Webhook(SECRET).verify(got.body, got.headers as Record<string, string>);
    expect((await finished(way)).map(({ eventId }) => eventId)).toEqual([`evt_${task}`]);
  });

  it("says how the task has ended", async () => {
    const { way } = caller();
    const task = await startTask(served.url, "Jobs_Run", { waits: true }, way);
    await modern(served.url, "tasks/cancel", { taskId: task }, way);
    await until(async () => (await finished(way)).length === 1);
    expect(await finished(way)).toMatchObject([{ data: { task_id: task, status: "cancelled" } }]);
  });

  it("is not kept for a caller without a credential, who could not read it", async () => {
    const { way, partition } = stranger();
    const task = await startTask(served.url, "Jobs_Run", {}, way);
    await endOf(served.url, task, way);
    // Its event would be there before that of a later task.
    const other = caller();
    await startTask(served.url, "Jobs_Run", {}, other.way);
    await until(async () => (await finished(other.way)).length === 1);
    const wanted = { name: "task.finished", args: {} };
    expect((await served.outbox.read(partition, wanted, { cursor: "0", limit: 10 })).events).toEqual([]);
  });
});

describe("a callback of a task", () => {
  it("that was registered gets one message when the task ends", async () => {
    const { way, api, path } = caller();
    const task = await startTask(served.url, "Jobs_Run", { waits: true }, way);
    const made = await api(`/tasks/${task}/webhooks`, { url: receiver.url(path), secret: PLAIN, token: "abc" });
    const webhook = { id: expect.any(String), url: receiver.url(path), has_secret: true, has_token: true };
    expect(made).toMatchObject({ status: 201, body: webhook });
    expect(await api(`/tasks/${task}/webhooks`)).toEqual({ status: 200, body: { webhooks: [made.body] } });
    await modern(served.url, "tasks/cancel", { taskId: task }, way);
    const got = await wait(path);
    expect(bodyOf(got)).toEqual({
      ...{ id: `evt_${task}`, type: "task.finished", created_at: expect.any(String) },
      ...{ task_id: task, tool: "Jobs.Run", status: "cancelled" },
      result: { duration: expect.any(Number), success: false, error: expect.objectContaining({ can_retry: true }) },
    });
    expect(got.headers.authorization).toBe("Bearer abc");
    const listed = await api(`/tasks/${task}/webhooks/${made.body.id}/deliveries`);
    expect(listed.body.deliveries).toMatchObject([{ event_id: `evt_${task}`, type: "task.finished" }]);
    await until(async () => {
      const { body } = await api(`/tasks/${task}/webhooks/${made.body.id}/deliveries?state=delivered`);
      return body.deliveries.length === 1;
    });
    const [{ id }] = listed.body.deliveries;
    const again = `/tasks/${task}/webhooks/${made.body.id}/deliveries/${id}/redeliver`;
    expect((await api(again, {})).status).toBe(202);
    const [, second] = (await receiver.wait(path, 2)) as [Received, Received];
    expect(second.headers["x-beeos-event-id"]).toBe(`evt_${task}`);
    expect((await api(again.replace(task, "tother"), {})).status).toBe(404);
  });

  it("that is registered after the end gets it at once, and once", async () => {
    const { way, api, path } = caller();
    const task = await startTask(served.url, "Jobs_Run", {}, way);
    await endOf(served.url, task, way);
    for (const _ of [1, 2])
      expect((await api(`/tasks/${task}/webhooks`, { url: receiver.url(path) })).status).toBe(201);
    expect(bodyOf(await wait(path))).toMatchObject({ task_id: task, status: "completed", result: { success: true } });
    const { body } = await api("/deliveries");
    expect(body.deliveries).toHaveLength(1);
    expect(receiver.at(path)).toHaveLength(1);
  });

  it("that is only listed does not take the result from the caller who comes back for it", async () => {
    const { way, api } = caller();
    const plain = { ...way, capabilities: {} };
    const { result } = await callModern(served.url, "Jobs_Run", {}, plain);
    const { task_id: task } = result._meta;
    // To read the task would be to take its result.
    await until(async () => (await finished(way)).length === 1);
    expect((await api(`/tasks/${task}/webhooks`)).status).toBe(200);
    const again = await callModern(served.url, "Jobs_Run", {}, plain);
    expect(again.result._meta ?? {}).not.toHaveProperty("task_id");
    const anew = await callModern(served.url, "Jobs_Run", {}, plain);
    expect(anew.result._meta.task_id).not.toBe(task);
  });

  it("that came with the call, whose response did not wait for the result", async () => {
    const { way, path } = caller();
    const meta = { callback: { url: receiver.url(path) } };
    const { result } = await callModern(served.url, "Jobs_Run", {}, { ...way, meta });
    const message = bodyOf(await wait(path));
    expect(message).toMatchObject({ type: "task.finished", task_id: result.taskId, result: { success: true } });
    expect(message.result.call_id).toBe(message.call_id);
  });

  it.each([300_000, 1_500_000])("gets no result of %i bytes, which is too large for a message", async (size) => {
    const { way, path } = caller();
    const meta = { callback: { url: receiver.url(`${path}-${size}`) } };
    await callModern(served.url, "Jobs_Run", { size }, { ...way, meta });
    const message = bodyOf(await wait(`${path}-${size}`));
    expect(message).toMatchObject({ status: "completed", result_omitted: expect.stringContaining("262144 bytes") });
    expect(message).not.toHaveProperty("result");
  });

  it("registered after the end of a task with a large result gets no large result", async () => {
    const { way, api, path } = caller();
    const task = await startTask(served.url, "Jobs_Run", { size: 1_500_000 }, way);
    await until(async () => (await finished(way)).length === 1);
    expect((await api(`/tasks/${task}/webhooks`, { url: receiver.url(path) })).status).toBe(201);
    const message = bodyOf(await wait(path));
    expect(message).toMatchObject({ status: "completed", result_omitted: expect.stringContaining("262144 bytes") });
  });

  it("that came with each request of a call is told once a URL, also by the request that gets the result", async () => {
    const { way, path } = caller();
    const call = (at: string) => {
      const request = {
        tool_id: "Jobs.Run",
        call_id: "again",
        input: {},
        context: { callback: { url: receiver.url(at) } },
      };
      return postJson(`${served.url}/tools/call`, { request }, way.headers);
    };
    expect((await call(path)).body.result.success).toBe(false);
    const message = bodyOf(await wait(path));
    expect(message).toMatchObject({ type: "task.finished", result: { success: true } });
    for (const at of [path, `${path}-other`]) expect((await call(at)).body.result.success).toBe(true);
    expect(bodyOf(await wait(`${path}-other`))).toMatchObject({ type: "call.finished", result: { success: true } });
    expect(receiver.at(path)).toHaveLength(1);
  });

  it("is one of 20 at most", async () => {
    const { way, api, path } = caller();
    const task = await startTask(served.url, "Jobs_Run", { waits: true }, way);
    const urls = Array.from({ length: 22 }, (_, n) => receiver.url(`${path}-${n}`));
    const made = await Promise.all(urls.map((url) => api(`/tasks/${task}/webhooks`, { url })));
    expect(made.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), 409, 409]);
    expect((await api(`/tasks/${task}/webhooks`)).body.webhooks).toHaveLength(20);
    const known = made.find(({ status }) => status === 201)?.body;
    expect((await api(`/tasks/${task}/webhooks`, { url: known.url })).status).toBe(201);
  });

  it("that is wrong is refused", async () => {
    const { way, api } = caller();
    const task = await startTask(served.url, "Jobs_Run", { waits: true }, way);
    const { status, body } = await api(`/tasks/${task}/webhooks`, { url: "http://example.com", secret: "short" });
    expect([status, Object.keys(body.errors)]).toEqual([422, ["url", "secret"]]);
  });

  it("is not for callers without a name: anyone could have messages sent to anybody", async () => {
    const { way, api, path } = stranger();
    const task = await startTask(served.url, "Jobs_Run", { waits: true }, way);
    expect((await api(`/tasks/${task}/webhooks`, { url: receiver.url(path) })).status).toBe(403);
    const meta = { callback: { url: receiver.url(path) } };
    const { result } = await callModern(served.url, "Jobs_Run", {}, { ...way, meta });
    expect(result.content[0].text).toContain("credential of their own");
  });

  it("of another caller, or of no task, does not exist", async () => {
    const [owner, other] = [caller(), caller()];
    const task = await startTask(served.url, "Jobs_Run", { waits: true }, owner.way);
    const { body } = await owner.api(`/tasks/${task}/webhooks`, { url: receiver.url(owner.path) });
    const { api } = other;
    for (const path of [task, "tunknown"]) {
      expect((await api(`/tasks/${path}/webhooks`, { url: "https://example.com" })).status).toBe(404);
      expect((await api(`/tasks/${path}/webhooks`)).status).toBe(404);
      expect((await api(`/tasks/${path}/webhooks/${body.id}/deliveries`)).status).toBe(404);
    }
    expect((await owner.api(`/tasks/${task}/webhooks/unknown/deliveries`)).status).toBe(404);
    expect((await other.api("/deliveries")).body).toEqual({ deliveries: [] });
  });
});
