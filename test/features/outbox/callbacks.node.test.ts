/** Callbacks of calls, over all three protocols: what arrives when a call has ended, how it is signed, and for whom. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/node/fork.ts";
import { handshake, post, postJson } from "../../support/node/http.ts";
import { modern } from "../../support/node/long.ts";
import { type ServedOutbox, serveOutbox } from "../../support/node/outbox.ts";
import { type Received, type Receiver, startReceiver } from "../../support/node/receiver.ts";
import { isOfDocument } from "../../support/node/signatures.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const WHSEC = `whsec_${btoa(SECRET)}`;

let receiver: Receiver;
let served: ServedOutbox;
beforeAll(async () => {
  receiver = await startReceiver();
  served = await serveOutbox({ hosts: [receiver.host] });
});
afterAll(async () => {
  await served?.stop();
  await receiver?.stop();
});

/** The answer of /api/v1/deliveries. */
interface Listed {
  readonly deliveries: readonly { readonly id: string; readonly url: string }[];
}

let paths = 0;
const newPath = () => `/callback${++paths}`;
const oxp = (input: object, callback: unknown, call_id?: string) =>
  postJson(`${served.url}/tools/call`, { request: { tool_id: "Jobs.Do", input, call_id, context: { callback } } });
const list = async (query = "") => (await fetch(`${served.url}/api/v1/deliveries${query}`)).json() as Promise<Listed>;
const wait = async (path: string) => (await receiver.wait(path, 1))[0] as Received;

describe("a call with a callback", () => {
  it("over OXP: its result arrives, signed in both ways", async () => {
    const path = newPath();
    const callback = { url: receiver.url(path), token: "abc.def", secret: SECRET };
    const { status, body } = await oxp({}, callback, "call-1");
    expect(status).toBe(200);
    const got = await wait(path);
    const event = got.headers["x-beeos-event-id"];
    expect(JSON.parse(got.body)).toEqual({
      ...{ id: event, type: "call.finished", created_at: expect.any(String), call_id: "call-1" },
      ...{ tool: "Jobs.Do", status: "completed", result: body.result },
    });
    expect(got.headers).toMatchObject({
      ...{ "webhook-id": event, authorization: "Bearer abc.def", "content-type": "application/json" },
    });
    expect(isOfDocument(got, SECRET)).toBe(true);
    expect(isOfDocument({ ...got, body: got.body.replace("xxxx", "yyyy") }, SECRET)).toBe(false);
    expect(isOfDocument(got, SECRET.replace("0", "1"))).toBe(false);
    expect(isOfDocument({ ...got, at: got.at + 301_000 }, SECRET)).toBe(false);
    const headers = got.headers as Record<string, string>;
    expect(new Webhook(SECRET, { format: "raw" }).verify(got.body, headers)).toEqual(JSON.parse(got.body));
  });

  it("over OpenTool", async () => {
    const path = newPath();
    const context = { callback: { url: receiver.url(path) } };
    const call = { jsonrpc: "2.0", id: "1", method: "Jobs_Do", params: {}, context };
    const { body } = await postJson(`${served.url}/opentool/call`, call);
    expect(body.error).toBeNull();
    const got = await wait(path);
    expect(JSON.parse(got.body)).toMatchObject({ tool: "Jobs.Do", status: "completed", result: { value: "xxxx" } });
    for (const name of ["authorization", "x-beeos-signature", "webhook-signature"])
      expect(got.headers).not.toHaveProperty(name);
  });

  it("over MCP, old and new, where it is in _meta", async () => {
    const [old, young, ignored] = [newPath(), newPath(), newPath()];
    const headers = await handshake(`${served.url}/mcp`);
    const params = (path: string) => ({
      name: "Jobs_Do",
      arguments: {},
      _meta: { callback: { url: receiver.url(path) } },
    });
    const response = await post(
      `${served.url}/mcp`,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: params(old) },
      headers,
    );
    await response.text();
    await modern(served.url, "tools/call", { name: "Jobs_Do", arguments: {} }, { meta: params(young)._meta });
    const asArgument = { callback: { url: receiver.url(ignored) } };
    await modern(served.url, "tools/call", { name: "Jobs_Do", arguments: asArgument });
    for (const path of [old, young]) expect(JSON.parse((await wait(path)).body)).toMatchObject({ status: "completed" });
    expect(receiver.at(ignored)).toEqual([]);
  });

  it("that fails: the message says so", async () => {
    const path = newPath();
    const { body } = await oxp({ fails: true }, { url: receiver.url(path) }, "call-fails");
    expect(body.result.success).toBe(false);
    expect(JSON.parse((await wait(path)).body)).toMatchObject({ status: "failed", result: body.result });
  });

  it.each([300_000, 1_500_000])("whose result of %i bytes is too large for a message: it is left out", async (size) => {
    const path = newPath();
    await oxp({ size }, { url: receiver.url(path) });
    const message = JSON.parse((await wait(path)).body);
    expect(message).toMatchObject({ status: "completed", result_omitted: expect.stringContaining("262144 bytes") });
    expect(message).not.toHaveProperty("result");
  });

  it("that is repeated under its key has one message; one that may run again has one for each run", async () => {
    const [once, again] = [newPath(), newPath()];
    for (const _ of [1, 2, 3]) await oxp({}, { url: receiver.url(once) }, "keyed");
    for (const _ of [1, 2]) await oxp({ fails: true, again: true }, { url: receiver.url(again) }, "retried");
    await receiver.wait(again, 2);
    expect(receiver.at(once)).toHaveLength(1);
  });

  it("that is repeated under its key with another URL has one message for each URL", async () => {
    const [first, second] = [newPath(), newPath()];
    for (const path of [first, second, first, second]) await oxp({}, { url: receiver.url(path) }, "keyed-elsewhere");
    const [one, two] = [await wait(first), await wait(second)];
    // The same event, so a receiver at both URLs knows the second one.
    expect(two.headers["webhook-id"]).toBe(one.headers["webhook-id"]);
    expect(JSON.parse(two.body)).toMatchObject({ call_id: "keyed-elsewhere", status: "completed" });
    expect([receiver.at(first).length, receiver.at(second).length]).toEqual([1, 1]);
  });

  it("that is repeated when its key has expired is another call, with a message of its own", async () => {
    const [first, second] = [newPath(), newPath()];
    const look = async (path: string) => {
      const context = { callback: { url: receiver.url(path) } };
      const request = { tool_id: "Jobs.Look", call_id: "expires", context };
      return (await postJson(`${served.url}/tools/call`, { request })).body.result.value as string;
    };
    const earlier = await look(first);
    expect(await look(first)).toBe(earlier);
    type Kept = { list(options: object): Promise<{ keys: { name: string }[] }>; delete(name: string): Promise<void> };
    const { KV } = (await served.bindings()) as unknown as { KV: Kept };
    for (const { name } of (await KV.list({ prefix: "call:" })).keys) await KV.delete(name);
    const later = await look(first);
    expect(later).not.toBe(earlier);
    for (const path of [first, second, second]) expect(await look(path)).toBe(later);
    const told = async (path: string, count: number) =>
      (await receiver.wait(path, count)).map(({ body, headers }) => [
        JSON.parse(body).result.value,
        headers["webhook-id"],
      ]);
    const [one, two] = await told(first, 2);
    expect([one?.[0], two?.[0]]).toEqual([earlier, later]);
    expect(two?.[1]).not.toBe(one?.[1]);
    expect(await told(second, 1)).toEqual([two]);
    expect([receiver.at(first).length, receiver.at(second).length]).toEqual([2, 1]);
  });

  it("that is not run has no message", async () => {
    const path = newPath();
    const { status } = await oxp({ size: "large" }, { url: receiver.url(path) });
    expect(status).toBe(422);
    const { deliveries } = await list();
    expect(JSON.stringify(deliveries)).not.toContain(path);
  });
});

it("a deployment with an outbox and no events announces the extension, and lists none", async () => {
  const found = (await modern(served.url, "server/discover", {}, { capabilities: {} })).body.result;
  expect(found.capabilities).toMatchObject({ events: {}, extensions: { "io.modelcontextprotocol/events": {} } });
  const listed = await modern(served.url, "events/list", {}, { capabilities: {} });
  expect([listed.status, listed.body.result.events]).toEqual([200, []]);
});

describe("a callback that is wrong", () => {
  it.each([
    ["no object", "https://example.com", "callback"],
    ["no URL", {}, "callback.url"],
    ["not https", { url: "http://example.com/" }, "callback.url"],
    ["in a private network", { url: "https://10.1.2.3/" }, "callback.url"],
    ["with a short secret", { url: "https://example.com/", secret: "short" }, "callback.secret"],
    ["with whsec_ and no base64", { url: "https://example.com/", secret: `whsec_${SECRET}!` }, "callback.secret"],
    ["with v1, before whsec_", { url: "https://example.com/", secret: `v1,${WHSEC}` }, "callback.secret"],
    ["with a token that no header can carry", { url: "https://example.com/", token: "a\nb" }, "callback.token"],
  ])("%s: invalid input, before the tool runs", async (_, callback, member) => {
    const { status, body } = await oxp({}, callback);
    expect(status).toBe(422);
    expect(Object.keys(body.parameter_errors)).toEqual([member]);
    const context = { callback };
    const call = { jsonrpc: "2.0", id: "1", method: "Jobs_Do", params: {}, context };
    const opentool = await postJson(`${served.url}/opentool/call`, call);
    expect(opentool.body.error).toMatchObject({ code: 422, message: expect.stringContaining(member) });
    const result = await modern(served.url, "tools/call", { name: "Jobs_Do", arguments: {} }, { meta: { callback } });
    expect(JSON.stringify(result)).toContain(member);
  });
});

describe("/api/v1/deliveries", () => {
  it("lists what has arrived, waits, or was given up; and sends it again", async () => {
    const path = newPath();
    receiver.on(path, "too large");
    await oxp({}, { url: receiver.url(path), secret: SECRET });
    const own = async (query: string) => (await list(query)).deliveries.filter(({ url }) => url === receiver.url(path));
    await until(async () => (await own("?state=dead")).length === 1);
    const [dead] = await own("?state=dead");
    expect(dead).toEqual({
      ...{ id: expect.any(String), webhook_id: expect.any(String), url: receiver.url(path) },
      ...{ event_id: expect.stringMatching(/^evt_/), type: "call.finished", state: "dead", attempts: 1 },
      ...{ ended_at: expect.any(String), problem: "http_4xx", reason: "The receiver answered 413 Content Too Large" },
    });
    expect(JSON.stringify(await list())).not.toContain(SECRET);
    receiver.on(path, "ok");
    const again = await postJson(`${served.url}/api/v1/deliveries/${dead?.id}/redeliver`, {});
    expect(again).toMatchObject({ status: 202, body: { id: dead?.id, state: "waiting" } });
    await receiver.wait(path, 2);
    await until(async () => (await own("?state=delivered")).length === 1);
    expect(await own("?state=dead")).toEqual([]);
  });

  it("sends a message that was refused with 410 again as it was", async () => {
    const path = newPath();
    receiver.on(path, "gone", "ok");
    await oxp({}, { url: receiver.url(path), secret: SECRET });
    const own = async () => (await list("?state=dead")).deliveries.filter(({ url }) => url === receiver.url(path));
    await until(async () => (await own()).length === 1);
    await postJson(`${served.url}/api/v1/deliveries/${(await own())[0]?.id}/redeliver`, {});
    const [first, second] = (await receiver.wait(path, 2)) as [Received, Received];
    expect(second.body).toBe(first.body);
    expect(isOfDocument(second, SECRET)).toBe(true);
  });

  it("knows no other delivery, and no other state", async () => {
    for (const id of ["unknown", "a.1", "%00"]) {
      const { status, body } = await postJson(`${served.url}/api/v1/deliveries/${id}/redeliver`, {});
      expect([status, body.message]).toEqual([404, expect.stringContaining("no such delivery")]);
    }
    expect((await fetch(`${served.url}/api/v1/deliveries?state=lost`)).status).toBe(400);
    const tasks = await postJson(`${served.url}/api/v1/tasks/t1/webhooks`, { url: "https://example.com" });
    expect(tasks.status).toBe(404);
  });
});
