/** The Durable Objects behind the streams, where the front door cannot reach: restarts, time, other deployments. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { type Listener, readLines, type Wanted } from "../../../src/core/changes.ts";
import type { Hub } from "../../../src/stores/hub.ts";
import type { Mailbox } from "../../../src/stores/mailbox.ts";
import { META, modernStream } from "./modern-client.ts";
import { call, EVERYTHING, handshake, listenTo, mcp, request, streamed } from "./support.ts";

const { HUB, MAILBOX } = env as unknown as {
  HUB: DurableObjectNamespace<Hub>;
  MAILBOX: DurableObjectNamespace<Mailbox>;
};
const NOTHING: Wanted = { tools: false, prompts: false, resources: false, uris: [] };
const DAY_MS = 24 * 3_600_000;

/** An object of its own for each test. */
const newBox = () => MAILBOX.getByName(crypto.randomUUID());
const newHub = () => HUB.getByName(crypto.randomUUID());

async function take(count: number, source: ReadableStream<Uint8Array> | undefined): Promise<string[]> {
  if (source === undefined) throw new Error("there was no room to follow");
  const lines = readLines(source);
  const taken: string[] = [];
  if (count > 0) {
    for await (const line of lines) {
      if (line !== "") taken.push(line);
      if (taken.length === count) break;
    }
  }
  lines.cancel();
  return taken;
}

async function all(source: ReadableStream<Uint8Array> | undefined): Promise<string[]> {
  return take(Number.POSITIVE_INFINITY, source);
}

describe("a mailbox", () => {
  it("brings together who leaves and who takes, whichever comes first", async () => {
    const box = newBox();
    const waiting = box.take("a");
    await box.post("b", ["for b"], true);
    await box.post("a", ["for a", "more"], true);
    expect(await waiting).toBe("for a");
    expect(await box.take("b")).toBe("for b");
  });

  it("lets only so many follow at once, and others again when those have gone", async () => {
    const box = newBox();
    const followers = await Promise.all(Array.from({ length: 32 }, () => box.follow("a", 0)));
    expect(await box.follow("a", 0)).toBeUndefined();
    await box.post("a", ["1"], true);
    for (const follower of followers) expect(await all(follower)).toEqual(["1"]);
    expect(await all(await box.follow("a", 0))).toEqual(["1"]);
  });

  it("keeps entries over a restart", async () => {
    const box = newBox();
    await box.post("a", ["1", "2"], false);
    await evictDurableObject(box);
    await box.post("a", ["3"], true);
    expect(await box.take("a")).toBe("1");
    expect(await all(await box.follow("a", 0))).toEqual(["1", "2", "3"]);
    expect(await all(await box.follow("a", 2))).toEqual(["3"]);
    expect(await all(await box.follow("a", 3))).toEqual([]);
    expect(await all(await box.follow("a", 99))).toEqual([]);
  });

  it("tells followers what comes, in order, until it is done", async () => {
    const box = newBox();
    await box.post("a", ["1"], false);
    const [one, other] = [await box.follow("a", 0), await box.follow("a", 1)];
    await box.post("a", ["2"], false);
    await box.post("b", ["not for a"], false);
    await box.post("a", ["3"], true);
    expect(await all(one)).toEqual(["1", "2", "3"]);
    expect(await all(other)).toEqual(["2", "3"]);
  });

  it("is told of a follower that has gone", async () => {
    const box = newBox();
    expect(await take(0, await box.follow("a", 0))).toEqual([]);
    await box.post("a", ["1"], false);
    await box.post("a", ["2"], true);
    expect(await all(await box.follow("a", 0))).toEqual(["1", "2"]);
  });

  it("forgets everything some minutes after the last entry", async () => {
    const box = newBox();
    await box.post("a", ["1"], true);
    await runInDurableObject(box, async (_, state) => {
      const alarm = (await state.storage.getAlarm()) ?? 0;
      expect(alarm - Date.now()).toBeGreaterThan(4 * 60_000);
      expect(alarm - Date.now()).toBeLessThanOrEqual(5 * 60_000);
    });
    expect(await runDurableObjectAlarm(box)).toBe(true);
    await runInDurableObject(box, (_, state) => {
      expect([...state.storage.sql.exec("SELECT * FROM entries")]).toEqual([]);
    });
    // Nothing is left to wake up for.
    expect(await runDurableObjectAlarm(box)).toBe(false);
  });

  it.each([["unpaired \\ud800"], ["line\\nbreak"], ['"quotes"'], ["\u2028"]])("carries %j unchanged", async (text) => {
    const box = newBox();
    const entry = JSON.stringify(text);
    await box.post(text, [entry], true);
    expect(await all(await box.follow(text, 0))).toEqual([entry]);
    expect(await box.take(text)).toBe(entry);
  });
});

describe("the hub", () => {
  const listener = (more: Partial<Listener> = {}): Listener => ({
    principal: "me",
    wanted: { ...NOTHING, tools: true },
    revision: "r1",
    ...more,
  });
  const open = async (hub: DurableObjectStub<Hub>, more?: Partial<Listener>) => {
    const stream = await hub.listen(listener(more));
    if (stream === undefined) throw new Error("refused");
    return stream;
  };

  it("tells streams of an older catalogue when a listener of a newer one comes", async () => {
    const hub = newHub();
    const old = await open(hub, { wanted: { ...NOTHING, tools: true, resources: true } });
    const silent = await open(hub, { wanted: NOTHING });
    const young = await open(hub, { revision: "r2" });
    expect(await take(2, old)).toEqual(['{"of":"tools"}', '{"of":"resources"}']);
    // Who brought the news knows it, and who wants none hears none.
    await hub.publish({ of: "tools" });
    expect(await take(1, young)).toEqual(['{"of":"tools"}']);
    await silent.cancel();
  });

  it("tells a session that began with an older catalogue, at once", async () => {
    const hub = newHub();
    const stale = await open(hub, { knows: "r0" });
    expect(await take(1, stale)).toEqual(['{"of":"tools"}']);
  });

  it("knows the catalogue over a restart: the first to come of the same one brings no news", async () => {
    const hub = newHub();
    await runInDurableObject(hub, async (instance) => (await instance.listen(listener()))?.cancel());
    await evictDurableObject(hub);
    const one = await open(hub, { knows: "r1" });
    const other = await open(hub);
    await hub.publish({ of: "tools" });
    expect(await take(1, one)).toEqual(['{"of":"tools"}']);
    await other.cancel();
  });

  it("has room for 32 streams of one principal, and for those of another", async () => {
    const hub = newHub();
    const streams = await Promise.all(Array.from({ length: 32 }, () => open(hub)));
    expect(await hub.listen(listener())).toBeUndefined();
    const other = await open(hub, { principal: "you" });
    await Promise.all([...streams, other].map((stream) => stream.cancel()));
    await (await open(hub)).cancel();
  });

  it("keeps subscriptions over a restart, for a day after the last change to them", async () => {
    const hub = newHub();
    const session = "s";
    await hub.subscribe(session, "a:1", true);
    await hub.subscribe(session, "a:2", true);
    await hub.subscribe(session, "a:2", false);
    await evictDurableObject(hub);
    const stream = await open(hub, { session, wanted: NOTHING });
    for (const uri of ["a:2", "a:3", "a:1"]) await hub.publish({ of: "resource", uri });
    expect(await take(1, stream)).toEqual(['{"of":"resource","uri":"a:1"}']);

    await runInDurableObject(hub, async (_, state) => {
      const alarm = (await state.storage.getAlarm()) ?? 0;
      expect(Math.abs(alarm - Date.now() - DAY_MS)).toBeLessThan(60_000);
    });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS / 2 });
    await hub.subscribe(session, "a:4", true);
    vi.setSystemTime(Date.now() + DAY_MS / 2 + 60_000);
    expect(await runDurableObjectAlarm(hub)).toBe(true);
    const later = await open(hub, { session, wanted: NOTHING });
    for (const uri of ["a:1", "a:4"]) await hub.publish({ of: "resource", uri });
    expect(await take(1, later)).toEqual(['{"of":"resource","uri":"a:4"}']);
    // Those that are left have an alarm of their own; then there is nothing to wake up for.
    vi.setSystemTime(Date.now() + DAY_MS);
    expect(await runDurableObjectAlarm(hub)).toBe(true);
    expect(await runDurableObjectAlarm(hub)).toBe(false);
    vi.useRealTimers();
  });

  it("keeps the subscriptions of one session from another, whatever they are called", async () => {
    const hub = newHub();
    await hub.subscribe("s", "t a:1", true);
    const stranger = await open(hub, { session: "s t", wanted: NOTHING });
    const owner = await open(hub, { session: "s", wanted: NOTHING });
    await hub.publish({ of: "resource", uri: "t a:1" });
    await hub.publish({ of: "resource", uri: "a:1" });
    expect(await take(1, owner)).toEqual(['{"of":"resource","uri":"t a:1"}']);
    await stranger.cancel();
  });
});

describe("a restart of the object behind a stream", () => {
  it("ends a subscription with a farewell (basic/patterns/subscriptions, Graceful Closure)", async () => {
    const stream = await modernStream("subscriptions/listen", { notifications: {} }, { id: "s" });
    await stream.next();
    await runInDurableObject(HUB.getByName("hub"), (_, state) => {
      state.abort("restarted");
    }).catch(() => {});
    const _meta = { [`${META}subscriptionId`]: "s" };
    const messages = (await stream.rest()).map(({ data }) => data);
    expect(messages).toEqual([
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta, requestId: "s" } },
      {
        jsonrpc: "2.0",
        id: "s",
        result: expect.objectContaining({ resultType: "complete", _meta: expect.objectContaining(_meta) }),
      },
    ]);
  });

  it("ends the stream of a session, which may be opened again", async () => {
    const session = await handshake();
    const stream = await listenTo(session);
    await runInDurableObject(HUB.getByName("hub"), (_, state) => {
      state.abort("restarted");
    }).catch(() => {});
    expect(await stream.next()).toBeUndefined();
    const again = await listenTo(session);
    await mcp(call("Talk_Change", { of: "tools" }));
    expect((await again.nextData()).method).toBe("notifications/tools/list_changed");
    await again.close();
  });

  it("keeps what a released call still says", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const name = crypto.randomUUID();
    const params = {
      name: "Talk_Wait",
      arguments: { name, ms: 300, release: true, progress: true },
      _meta: { progressToken: 1 },
    };
    const stream = await streamed(request("tools/call", params), session);
    const [{ id = "" } = {}] = await stream.rest();
    const [sessionId] = session["mcp-session-id"]?.split(".") ?? [];
    await evictDurableObject(MAILBOX.getByName(`anonymous/${sessionId}`));
    const events = await (await listenTo(session, { "last-event-id": id })).rest();
    expect(events.map(({ data }) => data.params?.progress ?? data.id)).toEqual([2, 1]);
  });
});
