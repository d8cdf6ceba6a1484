/** `events/stream` over real HTTP (SEP-3415, Push-Based Delivery). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../../support/node/attacks/tokens.ts";
import { newCaller, now, openEvents, serveEvents, tell } from "../../../support/node/events.ts";
import { type Long, postModern } from "../../../support/node/long.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  server = await serveEvents();
  url = server.url;
});
afterAll(() => server?.stop());

const CHANGED = { name: "notes.changed", cursor: null };
/** "carries the JSON-RPC `id` of the parent `events/stream` request": the number that it was, not a text. */
const TAGGED = { "io.modelcontextprotocol/subscriptionId": 1 };
const changed = (id: number, list = "inbox") => ({ name: "changed" as const, data: { id, list } });

describe.concurrent("events/stream", () => {
  it("confirms the subscription first, and sends events as they occur", async () => {
    const by = newCaller();
    const stream = await openEvents(url, CHANGED, by);
    const active = await stream.nextData();
    expect(active).toEqual({
      jsonrpc: "2.0",
      method: "notifications/events/active",
      params: { cursor: expect.any(String), truncated: false, _meta: TAGGED },
    });
    for (const id of [1, 2]) {
      await tell(url, by, changed(id));
      expect(await stream.nextData()).toEqual({
        jsonrpc: "2.0",
        method: "notifications/events/event",
        params: {
          eventId: expect.any(String),
          name: "notes.changed",
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          data: { id, list: "inbox" },
          cursor: expect.any(String),
          _meta: TAGGED,
        },
      });
    }
    await stream.close();
  });

  it("goes on from a cursor: what happened in between comes first, and nothing twice", async () => {
    const by = newCaller();
    const cursor = await now(url, "notes.changed", by);
    await tell(url, by, ...Array.from({ length: 45 }, (_, id) => changed(id)));
    const stream = await openEvents(url, { ...CHANGED, cursor }, by);
    // Its client must not take it for the position after events that it has yet to get.
    expect((await stream.nextData()).params).toMatchObject({ cursor, truncated: false });
    await tell(url, by, changed(45));
    const ids: number[] = [];
    let last = "";
    while (ids.length < 46) {
      const { params } = await stream.nextData();
      ids.push(params.data.id);
      last = params.cursor;
    }
    expect(ids).toEqual(Array.from({ length: 46 }, (_, id) => id));
    await stream.close();
    await tell(url, by, changed(99));
    const again = await openEvents(url, { ...CHANGED, cursor: last }, by);
    await again.nextData();
    expect((await again.nextData()).params.data.id).toBe(99);
    await again.close();
  });

  it("says at the beginning that events are missing", async () => {
    const by = newCaller();
    const stream = await openEvents(url, { ...CHANGED, cursor: "1" }, by);
    expect((await stream.nextData()).params).toMatchObject({ cursor: expect.any(String), truncated: true });
    await tell(url, by, changed(1));
    expect((await stream.nextData()).params.data.id).toBe(1);
    await stream.close();
  });

  it("sends only what matches the arguments, and nothing of others", async () => {
    const [mine, yours] = [newCaller(), newCaller()];
    const stream = await openEvents(url, { ...CHANGED, arguments: { list: "b" } }, mine);
    await stream.nextData();
    await tell(url, yours, changed(1, "b"));
    await tell(url, mine, changed(2, "a"), { name: "grown", data: { count: 1 } }, changed(3, "b"));
    expect((await stream.nextData()).params.data).toEqual({ id: 3, list: "b" });
    await stream.close();
  });

  it("can be had in several at once", async () => {
    const by = newCaller();
    const streams = await Promise.all([1, 2, 3].map(() => openEvents(url, CHANGED, by)));
    for (const stream of streams) expect((await stream.nextData()).method).toBe("notifications/events/active");
    await tell(url, by, changed(7));
    for (const stream of streams) expect((await stream.nextData()).params.data.id).toBe(7);
    for (const stream of streams) await stream.close();
  });

  it("refuses the 33rd stream of a caller: -32013, with the limit", async () => {
    const by = newCaller();
    const abort = new AbortController();
    // Node closes the connection of a response that nothing refers to any more.
    const open: Response[] = [];
    while (open.length < 32)
      open.push(await postModern(url, "events/stream", CHANGED, { ...by, signal: abort.signal }));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await postModern(url, "events/stream", CHANGED, by);
    expect(refused.status).toBe(429);
    expect((await refused.json()) as object).toMatchObject({
      id: 1,
      error: { code: -32013, data: { limit: "streams" } },
    });
    abort.abort();
  });

  it("sends heartbeats with the position, as data and not as comments, and events between them", async () => {
    const by = newCaller();
    const response = await postModern(url, "events/stream", CHANGED, by);
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("notifications/events/heartbeat")) text += (await reader.read()).value;
    await tell(url, by, changed(1));
    while (!text.includes("notifications/events/event")) text += (await reader.read()).value;
    await reader.cancel();
    expect(text).not.toMatch(/^:/m);
    const [heartbeat] = text.split("\n\n").filter((block) => block.includes("heartbeat"));
    expect(JSON.parse(heartbeat?.replace("event: message\ndata: ", "") ?? "").params).toEqual({
      cursor: expect.any(String),
      _meta: TAGGED,
    });
  });

  it("ends with the credential: `terminated`, then the final result", async () => {
    // Clocks may differ by half a minute, so it is accepted for ten more seconds.
    const token = shared({ sub: `short-${Math.random()}`, scope: "notes", exp: Math.floor(Date.now() / 1000) - 20 });
    const by = { headers: { authorization: `Bearer ${token}` }, capabilities: {} };
    const stream = await openEvents(url, CHANGED, by, 60_000);
    const messages = (await stream.rest())
      .map(({ data }) => data)
      .filter(({ method }) => !method?.endsWith("heartbeat"));
    expect(messages).toEqual([
      expect.objectContaining({ method: "notifications/events/active" }),
      {
        jsonrpc: "2.0",
        method: "notifications/events/terminated",
        params: { error: { code: -32012, message: "Forbidden", data: expect.anything() }, _meta: TAGGED },
      },
      { jsonrpc: "2.0", id: 1, result: { resultType: "complete", _meta: {} } },
    ]);
  });
});
