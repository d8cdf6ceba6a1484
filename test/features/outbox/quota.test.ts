/** What the outbox of one principal takes at most (docs/limits.md, Events and messages): on the storage of an object. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { OutboxCore } from "../../../src/features/outbox/object/outbox-core.ts";
import { Subscriptions } from "../../../src/features/outbox/object/subscriptions.ts";
import { Webhooks } from "../../../src/features/outbox/object/webhooks.ts";
import { readOutboxSettings } from "../../../src/features/outbox/settings.ts";
import { travel } from "../../support/clock.ts";

const { CLAIMS } = env as unknown as { CLAIMS: DurableObjectNamespace };
const SECRET = `whsec_${btoa("x".repeat(24))}`;
const HOST = "receiver.example";

/** A receiver that wants events, and is down whenever one comes. */
const send: typeof fetch = async (_, init) => {
  const { challenge } = JSON.parse(String(init?.body));
  return challenge ? Response.json({ challenge }) : new Response(null, { status: 503 });
};

interface Outbox {
  emit(text?: string): ReturnType<OutboxCore["emit"]>;
  subscribe(at: number, cursor?: string): ReturnType<Subscriptions["subscribe"]>;
  read(cursor: string): ReturnType<Subscriptions["read"]>;
  readonly core: OutboxCore;
  readonly webhooks: Webhooks;
}

function withOutbox(test: (outbox: Outbox) => Promise<void>) {
  return () =>
    runInDurableObject(CLAIMS.getByName(crypto.randomUUID()), async (_, { storage }) => {
      const core = new OutboxCore({
        storage,
        signer: hmacSigner(async () => new Uint8Array(32)),
        matches: async () => true,
        attempts: { send, allowed: [], limitMs: 10_000 },
        settings: readOutboxSettings({ SUBSCRIPTIONS_PER_PRINCIPAL: "1000" }).settings,
        log: () => {},
      });
      const subscriptions = new Subscriptions(core);
      await test({
        core,
        webhooks: new Webhooks(core),
        read: (cursor) => subscriptions.read("p", { name: "e", args: {} }, { cursor, limit: 100 }),
        emit: (text = "") =>
          core.emit("p", { id: crypto.randomUUID(), name: "e", data: { text }, result: undefined, isSourced: false }),
        subscribe(at, cursor) {
          const wanted = { name: "e", args: {}, url: `https://${HOST}/${at}`, secret: SECRET, ttlMs: null };
          const name = { id: `s${at}`, url: `${at}`, host: HOST };
          return subscriptions.subscribe("p", name, { ...wanted, cursor: cursor ?? null });
        },
      });
      await storage.deleteAlarm();
      await storage.deleteAll();
    });
}

afterEach(() => {
  vi.useRealTimers();
});

it(
  "6,000 deliveries a minute, and 10,000 that wait: then nothing is stored, and whoever wants more is told",
  withOutbox(async ({ core, emit, subscribe, webhooks }) => {
    travel(0);
    for (let at = 0; at < 100; at++) expect(await subscribe(at)).toMatchObject({ state: "subscribed" });
    for (let sent = 0; sent < 60; sent++) expect(await emit()).toEqual(expect.any(String));
    const events = () => core.dependencies.storage.sql.exec("SELECT count(*) AS events FROM events").one().events;
    expect(await emit()).toEqual({ full: "rate", retryAfterMs: 60_000 });
    expect(await webhooks.full("p")).toMatchObject({ full: "rate" });
    expect(events()).toBe(60);
    travel(60_000);
    expect(await webhooks.full("p")).toBeUndefined();
    for (let sent = 0; sent < 40; sent++) expect(await emit()).toEqual(expect.any(String));
    const count = vi.spyOn(core.table, "countDeliveries");
    expect(await emit()).toMatchObject({ full: "waiting" });
    for (let sent = 0; sent < 20; sent++) expect(await emit()).toMatchObject({ full: "waiting" });
    // Each count reads 10,000 rows, and a caller may try ten times a second.
    expect(count.mock.calls.length).toBeLessThanOrEqual(1);
    expect([events(), core.held(0).waiting()]).toEqual([100, 10_000]);
    // Nothing is promised to a receiver that cannot be kept.
    const callback = { name: { id: "c", url: "c", host: HOST }, content: { url: `https://${HOST}/c` } };
    const ended = { id: "evt", name: "call.finished", data: {}, result: undefined, isSourced: true };
    const task = { id: "t", expires: Date.now() + 60_000, event: "evt_t" };
    expect(await webhooks.send("p", callback as never, ended)).toMatchObject({ full: "waiting" });
    expect(await webhooks.register("p", callback as never, task, undefined)).toMatchObject({ full: "waiting" });
    const [delivery] = (await webhooks.deliveries("p", { state: "waiting" })) ?? [];
    expect(await webhooks.redeliver("p", delivery?.id ?? "", undefined)).toMatchObject({ full: "waiting" });
    expect(core.held(0).waiting()).toBe(10_000);
  }),
);

it(
  "a list of deliveries has at most 100,000 characters of URLs, of the newest",
  withOutbox(async ({ webhooks }) => {
    for (let at = 0; at < 60; at++) {
      const url = `https://${HOST}/${at}`.padEnd(2_000, "x");
      const callback = { name: { id: `c${at}`, url: `${at}`, host: HOST }, content: { url } };
      const ended = { id: `evt${at}`, name: "call.finished", data: {}, result: undefined, isSourced: true };
      expect(await webhooks.send("p", callback as never, ended)).toBeUndefined();
    }
    const listed = (await webhooks.deliveries("p", {})) ?? [];
    expect(listed.map(({ webhook }) => webhook)).toEqual(Array.from({ length: 50 }, (_, at) => `c${59 - at}`));
  }),
);

it(
  "an event whose id an expired one has is an event of its own",
  withOutbox(async ({ core }) => {
    travel(0);
    const emit = (n: number) =>
      core.emit("p", { id: "evt", name: "e", data: { n }, result: undefined, isSourced: true });
    const rows = () => core.table.events("e", 0, Number.MAX_SAFE_INTEGER, 10).length;
    await emit(1);
    travel(core.dependencies.settings.eventSeconds * 1_000 - 1);
    await emit(1);
    expect(rows()).toBe(1);
    travel(1);
    await emit(2);
    await emit(2);
    expect(rows()).toBe(2);
  }),
);

it(
  "an event does not read the callbacks that wait",
  withOutbox(async ({ core, emit, subscribe }) => {
    await subscribe(0);
    const { storage } = core.dependencies;
    const cursors = vi.spyOn(Object.getPrototypeOf(storage.sql), "exec");
    const rowsRead = async (act: () => Promise<unknown>) => {
      cursors.mockClear();
      await act();
      const results = cursors.mock.results.map(({ value }) => (value as SqlStorageCursor<never>).rowsRead);
      return results.reduce((sum, rows) => sum + rows, 0);
    };
    for (const row of core.table.subscribed(Date.now()))
      for (let at = 0; at < 1_000; at++) core.table.putSubscription({ ...row, id: `c${at}`, kind: "call" });
    expect(await rowsRead(emit)).toBeLessThan(100);
    expect(await rowsRead(() => subscribe(1))).toBeLessThan(100);
    cursors.mockRestore();
  }),
);

it(
  "a callback whose delivery is forgotten is forgotten when its event would have expired",
  withOutbox(async ({ core, webhooks }) => {
    travel(0);
    const send = (id: string) => {
      const callback = { name: { id, url: id, host: HOST }, content: { url: `https://${HOST}/${id}` } };
      const ended = { id: `evt_${id}`, name: "call.finished", data: {}, result: undefined, isSourced: true };
      return webhooks.send("p", callback as never, ended);
    };
    const kept = () => ["listed", "forgotten"].filter((id) => core.table.subscription(id));
    for (const id of ["listed", "forgotten"]) await send(id);
    for (const { seq } of core.table.deliveries("forgotten"))
      core.table.removeDelivery({ subscription: "forgotten", seq });
    await core.alarm();
    // A repeat of its call is not told again.
    expect(kept()).toEqual(["listed", "forgotten"]);
    travel(core.dependencies.settings.eventSeconds * 1_000);
    await core.alarm();
    expect(kept()).toEqual(["listed"]);
  }),
);

it(
  "a call that was a task is told to a URL once: as a callback of the task, or by a message of its own",
  withOutbox(async ({ core, webhooks }) => {
    travel(0);
    const about = (at: string, kind: string) => ({
      name: { id: `${kind} ${at}`, url: at, host: HOST },
      content: { url: `https://${HOST}/${at}` },
    });
    const task = { id: "t", expires: Date.now() + 86_400_000, event: "evt_t" };
    const end = { id: "evt_t", name: "task.finished", data: { task_id: "t" }, result: undefined, isSourced: true };
    await webhooks.register("p", about("one", "task") as never, task, end);
    const ended = { id: "evt_c", name: "call.finished", data: {}, result: undefined, isSourced: true };
    for (const at of ["one", "other", "other"])
      await webhooks.send("p", about(at, "call") as never, ended, `task ${at}`);
    expect(["task one", "call one", "task other", "call other"].filter((id) => core.table.subscription(id))).toEqual([
      "task one",
      "call other",
    ]);
    expect(core.table.deliveries("call other")).toHaveLength(1);
  }),
);

it(
  "a callback of a task whose event has expired is told of it, and nobody else again",
  withOutbox(async ({ core, webhooks, read }) => {
    travel(0);
    const end = { id: "evt_t", name: "e", data: { task_id: "t" }, result: undefined, isSourced: true };
    await core.emit("p", end);
    travel(core.dependencies.settings.eventSeconds * 1_000);
    const callback = { name: { id: "late", url: "late", host: HOST }, content: { url: `https://${HOST}/late` } };
    const task = { id: "t", expires: Date.now() + 86_400_000, event: "evt_t" };
    await webhooks.register("p", callback as never, task, end);
    expect(core.table.deliveries("late")).toHaveLength(1);
    expect((await read("0")).events).toHaveLength(1);
  }),
);

it(
  "a callback lives as long as its task, also if that is extended",
  withOutbox(async ({ core, webhooks }) => {
    travel(0);
    const callback = { name: { id: "late", url: "late", host: HOST }, content: { url: `https://${HOST}/late` } };
    await webhooks.register("p", callback as never, { id: "t", expires: Date.now(), event: "evt_t" }, undefined);
    const keptMs = (core.table.subscription("late")?.expires ?? 0) - Date.now();
    travel(keptMs - 1);
    await webhooks.extend("other", Date.now() + keptMs);
    await webhooks.extend("t", Date.now() + keptMs);
    // Never for a shorter time.
    await webhooks.extend("t", 0);
    travel(keptMs);
    await core.alarm();
    const end = { id: "evt_t", name: "task.finished", data: { task_id: "t" }, result: undefined, isSourced: true };
    await core.emit("p", end);
    expect(core.table.deliveries("late")).toHaveLength(1);
  }),
);

it(
  "the row of a callback is written once an hour at most, however often its task is answered",
  withOutbox(async ({ core, webhooks }) => {
    travel(0);
    const callback = { name: { id: "late", url: "late", host: HOST }, content: { url: `https://${HOST}/late` } };
    await webhooks.register("p", callback as never, { id: "t", expires: Date.now(), event: "evt_t" }, undefined);
    const write = vi.spyOn(core.table, "noteSubscription");
    for (let minute = 1; minute <= 60; minute++) await webhooks.extend("t", Date.now() + minute * 60_000);
    expect(write).toHaveBeenCalledTimes(1);
    await webhooks.extend("t", Date.now() + 62 * 60_000);
    expect(write).toHaveBeenCalledTimes(2);
  }),
);

it(
  "an event does not look for retries: the alarm does",
  withOutbox(async ({ core, emit, subscribe }) => {
    travel(0);
    await subscribe(0);
    await emit();
    await core.dispatcher.rest(10_000);
    const due = vi.spyOn(core.table, "due");
    for (let sent = 0; sent < 10; sent++) await emit();
    expect(due).not.toHaveBeenCalled();
    travel(3_600_000);
    await core.alarm();
    expect(due).toHaveBeenCalled();
  }),
);

it(
  "who reads the events of one name reads 5,000 of others at most, and goes on from there",
  withOutbox(async ({ core, emit, read }) => {
    await emit();
    core.table.make("p");
    const first = core.table.lastSeq();
    for (let at = 1; at <= 12_000; at++) {
      const row = { seq: first - at, id: `${at}`, name: "other", occurred: Date.now(), sourced: 0, sealed: "" };
      core.table.insertEvent({ ...row, expires: Date.now() + 60_000 });
    }
    const pages = [await read("0")];
    while (pages.at(-1)?.hasMore) pages.push(await read(pages.at(-1)?.cursor ?? ""));
    expect(pages.map(({ events }) => events.length)).toEqual([0, 0, 1]);
  }),
);

it(
  "of deliveries that have ended, 10,000 are kept: those that were given up before those that have arrived",
  withOutbox(async ({ core }) => {
    core.table.make("p");
    const letter = { subscription: "s", sequence: 1, attempts: 1, at: 0, problem: null, reason: null };
    for (let seq = 1; seq <= 10_100; seq++) {
      const state = seq <= 50 ? "dead" : "delivered";
      core.table.insertLetter({ ...letter, seq, state, expires: Date.now() + 60_000 });
    }
    core.table.prune(Date.now(), 0);
    const kept = core.table.letters(undefined, -1);
    expect(kept).toHaveLength(10_000);
    expect(kept.filter(({ state }) => state === "dead")).toHaveLength(50);
    expect(kept.at(-51)?.seq).toBe(151);
  }),
);

it(
  "a new subscription gets of earlier events what there is room for, and is told that there were more",
  withOutbox(async ({ core, emit, subscribe }) => {
    travel(0);
    for (let sent = 0; sent < 500; sent++) await emit();
    for (let at = 0; at < 12; at++) expect(await subscribe(at, "0")).toMatchObject({ state: "subscribed" });
    expect(core.held(0).waiting()).toBe(6_000);
    // Nothing is left of this minute. "0" is before all that is known, which is told as well.
    expect(await subscribe(13, "0")).toMatchObject({ state: "subscribed", isTruncated: true });
    expect(core.held(0).waiting()).toBe(6_000);
  }),
);

it(
  "100 MB: then no event is kept until some have expired",
  withOutbox(async ({ core, emit, subscribe }) => {
    const text = "x".repeat(250_000);
    let kept = 0;
    while (typeof (await emit(text)) === "string" && kept < 1_000) kept++;
    // Sealed, a text takes a third more.
    expect(kept).toBeGreaterThan(250);
    expect(kept).toBeLessThanOrEqual(400);
    expect(await emit(text)).toEqual({ full: "bytes", retryAfterMs: 60_000 });
    while (typeof (await emit("x".repeat(1_000))) === "string");
    expect(await subscribe(0)).toEqual({ state: "refused", message: expect.stringMatching(/^100 MB are kept/) });
    core.dependencies.storage.sql.exec("DELETE FROM events WHERE seq IN (SELECT seq FROM events LIMIT 10)");
    expect(await emit(text)).toEqual(expect.any(String));
  }),
);

it(
  "pages that are read at once are read one after the other: many of large events do not fit into memory",
  withOutbox(async ({ core, emit, read }) => {
    for (let sent = 0; sent < 4; sent++) await emit();
    let [reading, most] = [0, 0];
    vi.spyOn(core, "eventOf").mockImplementation(async () => {
      most = Math.max(most, ++reading);
      await new Promise((resume) => setTimeout(resume, 1));
      reading--;
      return undefined;
    });
    await Promise.all(Array.from({ length: 8 }, () => read("0")));
    expect(most).toBe(1);
  }),
);

it(
  "whoever reads large events gets a few MB at a time, and all of them in the end",
  withOutbox(async ({ emit, read }) => {
    const count = 40;
    for (let sent = 0; sent < count; sent++) await emit("x".repeat(250_000));
    let [cursor, got] = ["0", 0];
    for (;;) {
      const page = await read(cursor);
      expect(page.events.length).toBeLessThan(10);
      [cursor, got] = [page.cursor, got + page.events.length];
      if (!page.hasMore) break;
    }
    expect(got).toBe(count);
  }),
);
