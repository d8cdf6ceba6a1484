/** The Durable Objects behind the streams, in cases that HTTP tests cannot reach: restarts, time, other deployments. */

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Listener, SessionStream, Subscribed, Wanted } from "../../src/core/ports/change-feed.ts";
import type { Hub } from "../../src/stores/object-change-feed.ts";
import type { Mailbox } from "../../src/stores/object-relay.ts";
import { all, take } from "../support/lines.ts";
import { call, EVERYTHING, handshake, listenTo, mailboxOf, mcp, request, streamed } from "../support/mcp.ts";
import { META, modernStream } from "../support/modern-client.ts";

const { HUB, MAILBOX } = env as unknown as {
  HUB: DurableObjectNamespace<Hub>;
  MAILBOX: DurableObjectNamespace<Mailbox>;
};
const NOTHING: Wanted = { tools: false, prompts: false, resources: false, uris: [] };
const DAY_MS = 24 * 3_600_000;

/** A separate object for each test. */
const newBox = () => MAILBOX.getByName(crypto.randomUUID());
const newHub = () => HUB.getByName(crypto.randomUUID());

const MINUTE_MS = 60_000;
const entries = (...ats: number[]) => ats.map((at) => ({ at, text: `text ${at}` }));
const lines = (...ats: number[]) => ats.map((at) => `${at} text ${at}`);
const rows = (box: DurableObjectStub<Mailbox>) =>
  runInDurableObject(box, (_, { storage: { sql } }) => {
    // An object that stores nothing has no table.
    const [table] = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'messages'");
    return table === undefined ? [] : [...sql.exec("SELECT stream, at FROM messages ORDER BY at")];
  });

describe("a mailbox", () => {
  it("accepts no answer without a question, nor a second one, and stores none on disk", async () => {
    const box = newBox();
    await box.answer("a", "unasked");
    await box.open("a");
    await box.answer("a", "x".repeat(900_000));
    await box.answer("a", "second");
    expect(await box.take("a")).toHaveLength(900_000);
    await box.answer("a", "third");
    const again = box.take("a");
    await box.close();
    expect(await again).toBeUndefined();
    expect(await rows(box)).toEqual([]);
  });

  it("has a limit of open questions: another one drops the oldest", async () => {
    const box = newBox();
    const oldest = box.take("0");
    for (let n = 1; n <= 100; n++) await box.open(`${n}`);
    expect(await oldest).toBeUndefined();
  });

  it("has a limit of calls that watch for signals: another one ends the oldest watch", async () => {
    const box = newBox();
    const watch = (n: number) => box.watch({ call: `${n}`, request: "1", stream: undefined, since: Date.now() });
    const [oldest, ...others] = Array.from({ length: 101 }, (_, n) => watch(n));
    expect(await oldest).toBeUndefined();
    await box.cancel("1");
    expect(new Set(await Promise.all(others))).toEqual(new Set(["cancelled"]));
  });

  it("keeps the messages of a stream across a restart", async () => {
    const box = newBox();
    await box.post("a", entries(1, 2), false);
    await evictDurableObject(box);
    await box.post("a", entries(3), true);
    expect(await all(await box.follow("a", 0))).toEqual(lines(1, 2, 3));
    expect(await all(await box.follow("a", 2))).toEqual(lines(3));
    expect(await box.follow("a", 3)).toBeUndefined();
    expect(await box.follow("a", 99)).toBeUndefined();
  });

  it("notices a follower that has gone", async () => {
    const box = newBox();
    await (await box.follow("a", 0))?.cancel();
    await box.post("a", entries(1, 2), true);
    expect(await all(await box.follow("a", 0))).toEqual(lines(1, 2));
  });

  it("forgets each message five minutes after it was stored, not after the first one", async () => {
    const box = newBox();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    await box.post("a", entries(1), true);
    vi.setSystemTime(Date.now() + 4 * MINUTE_MS);
    await box.post("b", entries(2), true);
    vi.setSystemTime(Date.now() + MINUTE_MS);
    expect(await runDurableObjectAlarm(box)).toBe(true);
    expect(await rows(box)).toEqual([{ stream: "b", at: 2 }]);
    vi.setSystemTime(Date.now() + 4 * MINUTE_MS);
    expect(await runDurableObjectAlarm(box)).toBe(true);
    expect(await rows(box)).toEqual([]);
    // No alarm is left.
    expect(await runDurableObjectAlarm(box)).toBe(false);
    vi.useRealTimers();
  });

  it("keeps 16 MB of the newest messages: the oldest streams are deleted", async () => {
    const box = newBox();
    const text = "x".repeat(1_900_000);
    for (let stream = 0; stream < 10; stream++) await box.post(`${stream}`, [{ at: stream + 1, text }], true);
    const kept = (await rows(box)).map(({ stream }) => stream);
    expect(kept).toEqual(["2", "3", "4", "5", "6", "7", "8", "9"]);
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

  it("remembers the catalog across a restart: the next listener with the same one causes no notification", async () => {
    const hub = newHub();
    await runInDurableObject(hub, async (instance) => (await instance.listen(listener()))?.cancel());
    await evictDurableObject(hub);
    const one = await open(hub, { knows: "r1" });
    const other = await open(hub);
    await hub.publish({ of: "tools" });
    expect(await take(1, one)).toEqual(['{"of":"tools"}']);
    await other.cancel();
  });

  it.each<[string, (hub: Hub, stream: ReadableStream<Uint8Array>) => unknown]>([
    ["is cancelled", (_, stream) => stream.cancel()],
    ["ends with its session", (hub) => hub.closeSession("s")],
  ])("sends no heartbeats once its last stream %s, so that it can hibernate", async (_, end) => {
    const [started, stopped] = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "clearInterval")];
    await runInDurableObject(newHub(), async (hub) => {
      const stream = await hub.listen(listener({ session: member("s") }));
      await end(hub, stream as ReadableStream<Uint8Array>);
    });
    const beats = started.mock.results.map(({ value }) => value);
    expect(beats).toHaveLength(1);
    expect(stopped.mock.calls.flat()).toContain(beats[0]);
    vi.restoreAllMocks();
  });

  it("gives up streams that nobody has read for ten seconds: their requests were broken off as they were opened", async () => {
    const hub = newHub();
    await runInDurableObject(hub, async (instance) => {
      for (let opened = 0; opened < 32; opened++) await instance.listen(listener());
    });
    expect(await hub.listen(listener())).toBeUndefined();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    onTestFinished(() => void vi.useRealTimers());
    const streams = await Promise.all(Array.from({ length: 32 }, () => open(hub)));
    // Streams that the runtime has begun to pass on stay, although nothing is sent to them.
    vi.setSystemTime(Date.now() + 60_000);
    expect(await hub.listen(listener())).toBeUndefined();
    await Promise.all(streams.map((stream) => stream.cancel()));
  });

  const member = (id: string): SessionStream => ({ id, scopes: [], toolkits: undefined });
  const resource = (uri: string): Subscribed => ({ uri, toolkit: "a", scopes: [] });

  it("notifies a session of changes of its resources", async () => {
    const hub = newHub();
    const [mine, other] = [
      await open(hub, { session: member("s"), wanted: NOTHING }),
      await open(hub, { session: member("t") }),
    ];
    await hub.updateSubscriptions("s", [resource("a:1"), resource("a:2")], true);
    await hub.updateSubscriptions("s", [resource("a:2")], false);
    for (const uri of ["a:2", "a:3", "a:1"]) await hub.publish({ of: "resource", uri });
    expect(await take(1, mine)).toEqual(['{"of":"resource","uri":"a:1"}']);
    await hub.publish({ of: "tools" });
    expect(await take(1, other)).toEqual(['{"of":"tools"}']);
    // Nothing that a caller causes is stored on its disk.
    await runInDurableObject(hub, async (_, state) => {
      expect([...(await state.storage.list()).keys()]).toEqual(["revision"]);
    });
  });
});

describe("what the sessions of one principal subscribe to", () => {
  it("is kept across a restart, for a day after the last change", async () => {
    const own = newHub();
    await own.keep("s", "a:1", true);
    await own.keep("s", "a:2", true);
    await own.keep("s", "a:2", false);
    await evictDurableObject(own);
    expect(await own.kept("s")).toEqual(["a:1"]);

    await runInDurableObject(own, async (_, state) => {
      const alarm = (await state.storage.getAlarm()) ?? 0;
      expect(Math.abs(alarm - Date.now() - DAY_MS)).toBeLessThan(60_000);
    });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS / 2 });
    await own.keep("s", "a:4", true);
    vi.setSystemTime(Date.now() + DAY_MS / 2 + 60_000);
    expect(await runDurableObjectAlarm(own)).toBe(true);
    expect(await own.kept("s")).toEqual(["a:4"]);
    // The remaining ones have their own alarm; after that there is none.
    vi.setSystemTime(Date.now() + DAY_MS);
    expect(await runDurableObjectAlarm(own)).toBe(true);
    expect(await runDurableObjectAlarm(own)).toBe(false);
    vi.useRealTimers();
  });

  it("belongs to one session, whatever the ids, and is deleted with it", async () => {
    const own = newHub();
    await own.keep("s", "t a:1", true);
    await own.keep("s t", "a:2", true);
    expect([await own.kept("s"), await own.kept("s t")]).toEqual([["t a:1"], ["a:2"]]);
    await own.forget("s");
    expect([await own.kept("s"), await own.kept("s t")]).toEqual([[], ["a:2"]]);
  });

  it("is at most a thousand resources: anyone can open sessions", async () => {
    const own = newHub();
    await runInDurableObject(own, async (object) => {
      for (let n = 0; n < 1_000; n++) expect(await object.keep(`${n % 10}`, `a:${n}`, true)).toBe(true);
      expect(await object.keep("another", "a:1", true)).toBe(false);
      // Existing subscriptions may be renewed.
      expect(await object.keep("0", "a:0", true)).toBe(true);
      await object.forget("1");
      expect(await object.keep("another", "a:1", true)).toBe(true);
    });
  });
});

describe("a restart of the object behind a stream", () => {
  it("ends a subscription with closing messages (basic/patterns/subscriptions, Graceful Closure)", async () => {
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

  it("keeps the later messages of a call whose stream was closed", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const name = crypto.randomUUID();
    const params = {
      name: "Talk_Wait",
      arguments: { name, ms: 300, release: true, progress: true },
      _meta: { progressToken: 1 },
    };
    const stream = await streamed(request("tools/call", params), session);
    const id = (await stream.rest())[1]?.id ?? "";
    await evictDurableObject(mailboxOf(session));
    const events = await (await listenTo(session, { "last-event-id": id })).rest();
    expect(events.map(({ data }) => data?.params?.progress ?? data?.id)).toEqual([undefined, 2, 1]);
  });
});
