/** subscriptions/listen: one stream per subscription, with what was requested and nothing else (2026-07-28). */
import { describe, expect, it } from "vitest";
import {
  callModern,
  META,
  modern,
  modernStream,
  postModern,
  type RequestOptions,
} from "../../../support/modern-client.ts";
import type { Stream } from "../../../support/sse.ts";

const ID = `${META}subscriptionId`;
const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ["talk://news", "talk://picture"],
};

const listen = (notifications: unknown, options?: RequestOptions) =>
  modernStream("subscriptions/listen", { notifications }, options);

const change = async (of: string, uri?: string) => {
  const { body } = await callModern("Talk_Change", uri === undefined ? { of } : { of, uri });
  expect(body.result).not.toHaveProperty("isError");
};

const acknowledgement = (id: unknown, notifications: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/subscriptions/acknowledged",
  params: { _meta: { [ID]: id }, notifications },
});

async function closeAll(...streams: Stream[]) {
  await Promise.all(streams.map((stream) => stream.close()));
}

describe("a subscription", () => {
  it.each([[1], ["1"], [0], [""], ["an id"], [-7]])(
    "is acknowledged first, under the id %j (Acknowledgment)",
    async (id) => {
      const stream = await listen(ALL, { id });
      expect(stream.response.status).toBe(200);
      expect(stream.response.headers.get("x-accel-buffering")).toBe("no");
      expect(await stream.next()).toEqual({ data: acknowledgement(id, ALL) });
      await stream.close();
    },
  );

  it.each<[string, unknown, unknown]>([
    ["nothing", {}, {}],
    ["one kind", { toolsListChanged: true }, { toolsListChanged: true }],
    ["false", { toolsListChanged: false, promptsListChanged: true }, { promptsListChanged: true }],
    ["no resources", { resourceSubscriptions: [] }, {}],
    // "Notification types the server does not support are omitted."
    ["a kind that there is not", { toolsListChanged: true, weatherChanged: true }, { toolsListChanged: true }],
    ["a kind of another type", { toolsListChanged: "true", promptsListChanged: 1 }, {}],
  ])("to %s is acknowledged with the part that is granted", async (_, wanted, honoured) => {
    const stream = await listen(wanted);
    expect(await stream.nextData()).toEqual(acknowledgement(1, honoured));
    await stream.close();
  });

  it.each([
    ["no filter", undefined],
    ["a filter of null", null],
    ["a list for a filter", ["toolsListChanged"]],
    ["a URI for URIs", { resourceSubscriptions: "talk://news" }],
    ["URIs that are no texts", { resourceSubscriptions: [1] }],
  ])("with %s is -32602", async (_, notifications) => {
    const { body } = await modern("subscriptions/listen", { notifications }, { id: 5 });
    expect([body.id, body.error.code]).toEqual([5, -32602]);
  });

  it("requires the headers and _meta of every request (Streamable HTTP, Server Validation)", async () => {
    const params = { notifications: ALL };
    const wrong = await modern("subscriptions/listen", params, { headers: { "mcp-method": "tools/list" } });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, -32020]);
    const bare = await modern("subscriptions/listen", params, { meta: { [`${META}clientCapabilities`]: undefined } });
    expect([bare.status, bare.body.error.code]).toEqual([400, -32602]);
  });

  it.each([
    ["tools", "tools/list_changed"],
    ["prompts", "prompts/list_changed"],
    ["resources", "resources/list_changed"],
  ])("reports that %s have changed, under its id (Receiving Notifications)", async (of, method) => {
    const stream = await listen(ALL, { id: "mine" });
    await stream.next();
    await change(of);
    const { data } = (await stream.next()) ?? {};
    expect(data).toEqual({ jsonrpc: "2.0", method: `notifications/${method}`, params: { _meta: { [ID]: "mine" } } });
    await stream.close();
  });

  it("reports changes of its resources, and of no others (server/resources, Subscriptions)", async () => {
    const stream = await listen({ resourceSubscriptions: ["talk://news", "talk://never-was"] }, { id: 4 });
    await stream.next();
    await change("resource", "talk://picture");
    await change("resource", "talk://news");
    expect(await stream.nextData()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { _meta: { [ID]: 4 }, uri: "talk://news" },
    });
    await stream.close();
  });

  it("reports nothing that it did not request (MUST NOT)", async () => {
    const prompts = await listen({ promptsListChanged: true });
    const nothing = await listen({});
    for (const stream of [prompts, nothing]) await stream.next();
    for (const kind of ["tools", "resources", "resource"]) await change(kind);
    // Progress and log messages of other requests are not sent there either (Streamable HTTP, Receiving Messages).
    const meta = { progressToken: 1, [`${META}logLevel`]: "debug" };
    const steps = [{ progress: 1 }, { level: "error", data: 1 }];
    await callModern("Talk_Report", { steps }, { meta });
    expect(await nothing.isSilent(100)).toBe(true);
    await change("prompts");
    expect((await prompts.nextData()).method).toBe("notifications/prompts/list_changed");
    expect(await nothing.isSilent(100)).toBe(true);
    await closeAll(prompts, nothing);
  });

  it("may be one of several of a client, each with its own id (Multiple Concurrent Subscriptions)", async () => {
    const streams = [await listen(ALL, { id: 1 }), await listen(ALL, { id: "1" }), await listen(ALL, { id: 2 })];
    for (const stream of streams) await stream.next();
    await change("tools");
    const ids = await Promise.all(streams.map(async (stream) => (await stream.nextData()).params._meta[ID]));
    expect(ids).toEqual([1, "1", 2]);
    await closeAll(...streams);
  });

  it("that has ended does not affect the others", async () => {
    const [one, other] = [await listen(ALL), await listen(ALL)];
    for (const stream of [one, other]) await stream.next();
    await one.close();
    for (const kind of ["tools", "prompts"]) await change(kind);
    expect((await other.nextData()).method).toBe("notifications/tools/list_changed");
    expect((await other.nextData()).method).toBe("notifications/prompts/list_changed");
    await other.close();
  });
});

describe("streams of one principal", () => {
  it("are 32 at most: then 429, until one is closed", async () => {
    const streams = await Promise.all(Array.from({ length: 32 }, (_, id) => listen(ALL, { id })));
    for (const stream of streams) await stream.next();
    const refused = await modern("subscriptions/listen", { notifications: ALL }, { id: 33 });
    expect([refused.status, refused.body.id, refused.body.error.code]).toEqual([429, 33, -32600]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await streams[7]?.close();
    const next = await listen(ALL, { id: 34 });
    await next.next();
    await closeAll(next, ...streams.filter((_, index) => index !== 7));
  });

  it("are free again when they are closed, three times in a row for each there is room for", async () => {
    const cycle = async (id: number) => {
      const response = await postModern("subscriptions/listen", { notifications: ALL }, { id });
      expect(response.status).toBe(200);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      expect(new TextDecoder().decode(value)).toContain("acknowledged");
      await reader.cancel();
    };
    for (let round = 0; round < 6; round++) {
      await Promise.all(Array.from({ length: 16 }, (_, index) => cycle(round * 16 + index)));
    }
    // There is room for as many as at the beginning, and each gets the notification once.
    const streams: Stream[] = [];
    for (let id = 0; id < 32; id++) streams.push(await listen(ALL, { id }));
    for (const stream of streams) await stream.next();
    await change("tools");
    for (const stream of streams) {
      expect((await stream.nextData()).method).toBe("notifications/tools/list_changed");
      expect(await stream.isSilent(1)).toBe(true);
    }
    await closeAll(...streams);
  });
});
