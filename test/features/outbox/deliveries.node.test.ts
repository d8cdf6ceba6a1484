/** Events to receivers, over real HTTP: what arrives and how it is signed, what is tried again, and what is given up. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NewSubscription, Subscribed } from "../../../src/core/ports/outbox.ts";
import { until } from "../../support/node/fork.ts";
import { principal, type ServedOutbox, serveOutbox } from "../../support/node/outbox.ts";
import { type Received, type Receiver, startReceiver } from "../../support/node/receiver.ts";
import { isSlow } from "../../support/tier.ts";

const SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(64, 2).toString("base64")}`;
const DAY_MS = 86_400_000;

let receiver: Receiver;
/** On a host of its own. */
let other: Receiver;
let served: ServedOutbox;
beforeAll(async () => {
  receiver = await startReceiver();
  other = await startReceiver();
  served = await serveOutbox({
    hosts: [receiver.host, other.host],
    vars: { OUTBOX_ATTEMPT_MS: "2000", SUBSCRIPTIONS_PER_PRINCIPAL: "20" },
  });
});
afterAll(async () => {
  await served?.stop();
  await Promise.all([receiver?.stop(), other?.stop()]);
});

let callers = 0;

/** A caller with an outbox of its own. */
function caller() {
  const name = `caller${++callers}`;
  const who = principal(name);
  const wanted = (path: string, more: Partial<NewSubscription> = {}): NewSubscription => ({
    ...{ url: receiver.url(path), name: "notes.changed", args: {}, secret: SECRET, ttlMs: undefined, cursor: null },
    ...more,
  });
  return {
    partition: who.id,
    path: `/${name}`,
    async subscribe(path: string, more?: Partial<NewSubscription>) {
      const made = await patiently(() => served.outbox.subscribe(who, wanted(path, more)));
      expect(made).toMatchObject({ state: "subscribed" });
      return made as Subscribed & { state: "subscribed" };
    },
    trySubscribe: (path: string, more?: Partial<NewSubscription>) => served.outbox.subscribe(who, wanted(path, more)),
    unsubscribe: (path: string, args = {}) =>
      served.outbox.unsubscribe(who, { url: receiver.url(path), name: "notes.changed", args }),
    emit: (data: Record<string, never> | object, id?: string) =>
      served.outbox.emit(who.id, { name: "notes.changed", data: data as never, id }),
    async emitMany(from: number, count: number) {
      const emit = (n: number) => served.outbox.emit(who.id, { name: "notes.changed", data: { n } });
      for (let n = from; n < from + count; n += 50)
        await Promise.all(upTo(Math.min(50, from + count - n)).map((more) => emit(n + more)));
    },
    read: (cursor: string | null, limit = 100, args = {}) =>
      served.outbox.read(who.id, { name: "notes.changed", args: args as never }, { cursor, limit }),
    dead: () => served.outbox.deliveries(who.id, { state: "dead" }),
    rows: (query: string) => served.outboxRows(who.id, query),
  };
}

/** On a busy machine a receiver may not have answered the challenge within OUTBOX_ATTEMPT_MS. */
async function patiently(subscribe: () => Promise<Subscribed>): Promise<Subscribed> {
  for (;;) {
    const made = await subscribe();
    if (made.state !== "unverified" || made.problem !== "timeout") return made;
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const numbersIn = (all: readonly Received[]): number[] => all.map((one) => bodyOf(one).data.n).sort((a, b) => a - b);
const bodyOf = ({ body }: Received) => JSON.parse(body);
const headersOf = ({ headers }: Received) => headers as Record<string, string>;
const verified = (one: Received, secret = SECRET) => new Webhook(secret).verify(one.body, headersOf(one));

describe("an event", () => {
  it("arrives as MCP Events says, signed", async () => {
    const { subscribe, emit, path } = caller();
    const { id, cursor, expires, delivery, isTruncated } = await subscribe(path);
    expect({ delivery, isTruncated }).toEqual({ isTruncated: false });
    expect(expires).toBeGreaterThan(Date.now() + 0.9 * DAY_MS);
    const event = await emit({ note: "milk" });
    const [first] = (await receiver.wait(path, 1)) as [Received];
    expect(headersOf(first)).toMatchObject({
      "content-type": "application/json",
      "webhook-id": event,
      "webhook-sequence": "1",
      "x-mcp-subscription-id": id,
    });
    expect(bodyOf(first)).toEqual({
      eventId: event,
      name: "notes.changed",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { note: "milk" },
      cursor: expect.any(String),
    });
    expect(Number(bodyOf(first).cursor)).toBeGreaterThanOrEqual(Number(cursor));
    expect(verified(first)).toEqual(bodyOf(first));
    const changed = { ...first, body: first.body.replace("milk", "silk") };
    expect(() => verified(changed)).toThrow("No matching signature found");
    expect(() => verified(first, OTHER_SECRET)).toThrow("No matching signature found");
  });

  it("goes to those whose arguments match, in order, with a sequence of each", async () => {
    const { subscribe, emit, path } = caller();
    await subscribe(path, { args: { list: "a" } });
    await subscribe(`${path}-b`, { args: { list: "b", deep: { x: [1] } } });
    await emit({ list: "a", n: 1 });
    await emit({ list: "b", n: 2 });
    await emit({ list: "b", n: 3, deep: { x: [1] } });
    await emit({ list: "a", n: 4 });
    const a = await receiver.wait(path, 2);
    const b = await receiver.wait(`${path}-b`, 1);
    expect(a.map((one) => bodyOf(one).data.n).sort()).toEqual([1, 4]);
    expect(a.map((one) => one.headers["webhook-sequence"]).sort()).toEqual(["1", "2"]);
    expect(b.map((one) => [bodyOf(one).data.n, one.headers["webhook-sequence"]])).toEqual([[3, "1"]]);
  });

  it("of another principal is not told", async () => {
    const [one, other] = [caller(), caller()];
    await one.subscribe(one.path);
    await other.emit({ note: "secret" });
    await one.emit({ note: "own" });
    await receiver.wait(one.path, 1);
    expect(receiver.at(one.path).map((got) => bodyOf(got).data)).toEqual([{ note: "own" }]);
    expect(await one.read("0")).toMatchObject({ events: [{ data: { note: "own" } }] });
  });

  it("with an id of its source is told once", async () => {
    const { subscribe, emit, path, rows } = caller();
    await subscribe(path);
    for (const n of [1, 2, 3]) expect(await emit({ n }, "evt_own")).toBe("evt_own");
    await receiver.wait(path, 1);
    expect(await rows("SELECT COUNT(*) AS count FROM events")).toEqual([{ count: 1 }]);
    expect(receiver.at(path).map((one) => bodyOf(one).data)).toEqual([{ n: 1 }]);
  });

  it("over 256 KiB is refused", async () => {
    const { emit } = caller();
    await expect(emit({ text: "x".repeat(262_144) })).rejects.toThrow(/^Error: RangeError|RangeError/);
  });

  it("is not readable in the object's storage", async () => {
    const { subscribe, emit, path, rows } = caller();
    await subscribe(path, { args: { list: "groceries" } });
    await emit({ list: "groceries", note: "milk" });
    const tables = ["events", "subscriptions", "deliveries", "letters"];
    const kept = await Promise.all(tables.map((table) => rows(`SELECT * FROM ${table}`)));
    expect(kept[1]).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toMatch(/milk|groceries|whsec|127\.0\.0\.1/);
  });
});

describe("a delivery that fails", () => {
  it.each([
    ["answers 500", "fail"],
    ["never answers", "stall"],
    ["redirects", "redirect"],
    ["answers no HTTP", "garbage"],
    ["breaks off", "break off"],
    ["is busy", { status: 503 }],
    ["wants a credential", { status: 401 }],
  ] as const)("because the receiver %s is tried again, under its id, signed anew", async (_, behaviour) => {
    const { subscribe, emit, path } = caller();
    await subscribe(path);
    receiver.on(path, behaviour, behaviour, "ok");
    const event = await emit({ note: "milk" });
    const all = await receiver.wait(path, 3);
    for (const one of all) {
      expect(one.headers["webhook-id"]).toBe(event);
      expect(one.headers["webhook-sequence"]).toBe("1");
      verified(one);
    }
    expect(receiver.at("/redirected")).toEqual([]);
  });

  it("is told to whoever subscribes again", async () => {
    const { subscribe, emit, path } = caller();
    await subscribe(path);
    receiver.on(path, { status: 503, headers: { "retry-after": "3600" } }, "ok");
    const before = Date.now();
    await emit({ n: 1 });
    await until(async () => (await subscribe(path)).delivery?.lastProblem === "http_5xx");
    const { failingSince = 0 } = (await subscribe(path)).delivery ?? {};
    expect(failingSince).toBeGreaterThanOrEqual(before);
    await emit({ n: 2 });
    await until(async () => (await subscribe(path)).delivery?.failingSince === undefined);
    const { lastDelivered = 0, lastProblem } = (await subscribe(path)).delivery ?? {};
    expect(lastDelivered).toBeGreaterThanOrEqual(failingSince);
    expect(lastProblem).toBeUndefined();
  });

  it("holds no later one up", async () => {
    const { subscribe, emit, path } = caller();
    await subscribe(path);
    receiver.on(path, "fail", "ok");
    await emit({ n: 1 });
    await emit({ n: 2 });
    const all = await receiver.wait(path, 3);
    expect(new Set(all.map((one) => one.headers["webhook-id"])).size).toBe(2);
  });

  it("is not tried again earlier than Retry-After says", async () => {
    const { subscribe, emit, path } = caller();
    await subscribe(path);
    receiver.on(path, { status: 503, headers: { "retry-after": "2" } }, "ok");
    await emit({ n: 1 });
    const [first, second] = (await receiver.wait(path, 2)) as [Received, Received];
    expect(second.at - first.at).toBeGreaterThanOrEqual(1_900);
  });

  it("is given up after six attempts, listed, and sent again on demand", async () => {
    const { subscribe, emit, path, dead, partition } = caller();
    await subscribe(path);
    receiver.on(path, "fail");
    const event = await emit({ note: "milk" });
    await until(async () => (await dead())?.length === 1);
    expect(receiver.at(path)).toHaveLength(6);
    const [letter] = (await dead()) ?? [];
    expect(letter).toMatchObject({
      ...{ state: "dead", event, type: "notes.changed", attempts: 6, problem: "http_5xx" },
      ...{ reason: "All 6 attempts failed", url: receiver.url(path) },
    });
    receiver.on(path, "ok");
    expect(await served.outbox.redeliver(principal("nobody").id, letter?.id ?? "", undefined)).toBe(false);
    expect(await served.outbox.redeliver(partition, letter?.id ?? "", undefined)).toBe(true);
    const all = await receiver.wait(path, 7);
    expect(all.at(-1)?.headers).toMatchObject({ "webhook-id": event, "webhook-sequence": "1" });
    await until(async () => (await dead())?.length === 0);
  });

  it("of a receiver that redirects says so, and goes nowhere else", async () => {
    const { subscribe, emit, path, dead } = caller();
    await subscribe(path);
    receiver.on(path, { status: 302, headers: { location: "/redirected" } });
    await emit({ n: 1 });
    await until(async () => (await dead())?.length === 1);
    const reason = expect.stringMatching(/^All 6 attempts failed; .*redirects are not followed/);
    expect(await dead()).toMatchObject([{ attempts: 6, problem: "redirect", reason }]);
    expect(receiver.at("/redirected")).toEqual([]);
    // "one of `connection_refused`, `timeout`, `tls_error`, `http_4xx`, …": MCP has no word for it (methods.ts).
    expect((await subscribe(path)).delivery).toMatchObject({ lastProblem: "redirect" });
  });

  it("is given up at once after 413, and its subscription goes on", async () => {
    const { subscribe, emit, path, dead } = caller();
    await subscribe(path);
    receiver.on(path, "too large", "ok");
    await emit({ n: 1 });
    await until(async () => (await dead())?.length === 1);
    expect(await dead()).toMatchObject([{ attempts: 1, reason: "The receiver answered 413 Content Too Large" }]);
    await emit({ n: 2 });
    expect(await receiver.wait(path, 2)).toHaveLength(2);
  });

  it("is given up at once after 410, with the subscription", async () => {
    const { subscribe, emit, path, dead, unsubscribe } = caller();
    await subscribe(path);
    receiver.on(path, "gone");
    await emit({ n: 1 });
    await until(async () => (await dead())?.length === 1);
    expect(await dead()).toMatchObject([{ attempts: 1, reason: "The receiver answered 410 Gone" }]);
    await emit({ n: 2 });
    expect(await unsubscribe(path)).toBe(false);
    receiver.on(path, "ok");
    expect((await subscribe(path)).delivery).toBeUndefined();
    await emit({ n: 3 });
    const all = await receiver.wait(path, 2);
    expect(all.map((one) => bodyOf(one).data.n)).toEqual([1, 3]);
  });

  it("because its receiver stalls holds no other receiver up", async () => {
    const { subscribe, emit, path } = caller();
    await subscribe(path);
    await subscribe(`${path}-slow`);
    receiver.on(`${path}-slow`, "stall");
    for (let n = 0; n < 30; n++) await emit({ n });
    await receiver.wait(path, 30);
    // One after the other, nearly all would have been sent to the one that stalls as well.
    expect(receiver.at(`${path}-slow`).length).toBeLessThan(25);
    receiver.on(`${path}-slow`, "ok");
  });

  it("an endless answer counts as an acknowledgement, and holds no connection", async () => {
    const { subscribe, emit, path, rows } = caller();
    await subscribe(path);
    receiver.on(path, "endless");
    for (let n = 0; n < 10; n++) await emit({ n });
    await receiver.wait(path, 10);
    await until(async () => (await rows("SELECT COUNT(*) AS count FROM deliveries"))[0]?.count === 0);
  });
});

describe("a subscription", () => {
  it("begins with a challenge, which is not repeated for its URL", async () => {
    const { subscribe, path } = caller();
    await subscribe(path);
    await subscribe(path, { args: { list: "a" } });
    await subscribe(path);
    const [challenge, ...more] = receiver.challenges(path);
    expect(more).toEqual([]);
    expect(challenge?.headers["webhook-id"]).toMatch(/^msg_verification_/);
    expect(verified(challenge as Received)).toMatchObject({ type: "verification" });
  });

  // "A reachable endpoint that fails to echo yields […] `challenge_failed`; an unreachable one yields […]
  // `connection_refused`, `timeout`, or `tls_error`" (SEP-3415, Endpoint verification).
  it.each([
    ["does not echo", { status: 200, body: '{"challenge":"wrong"}' }, "challenge_failed", "did not send"],
    ["answers no JSON", "ok", "challenge_failed", "did not send"],
    [
      "echoes too late in its body",
      { status: 200, body: `${" ".repeat(70_000)}{}` },
      "challenge_failed",
      "did not send",
    ],
    // Here, requests go through a proxy in Node, which answers 502 in place of this one.
    ["answers garbage", "garbage", /connection_refused|challenge_failed/, /reached|5xx/],
    ["redirects", "redirect", "challenge_failed", "redirects are not followed"],
    [
      "redirects as a login does",
      { status: 302, headers: { location: "/redirected" } },
      "challenge_failed",
      "redirect",
    ],
    ["answers 404", { status: 404 }, "challenge_failed", "4xx"],
    ["wants a login", { status: 401 }, "challenge_failed", "4xx"],
    ["is gone", "gone", "challenge_failed", "4xx"],
    ["fails", "fail", "challenge_failed", "5xx"],
    ["stalls", "stall", "timeout", "within 2 seconds"],
  ] as const)("whose receiver %s is not made, and its caller is told", async (_, behaviour, problem, told) => {
    const { trySubscribe, path, rows } = caller();
    receiver.onChallenge(path, behaviour);
    expect(await trySubscribe(path)).toEqual({
      state: "unverified",
      problem: expect.stringMatching(problem),
      message: expect.stringMatching(told),
    });
    expect(receiver.at("/redirected")).toEqual([]);
    expect(await rows("SELECT name FROM sqlite_master WHERE name = 'subscriptions'")).toEqual([]);
  });

  it.each([
    "http://example.com/hook",
    "https://127.0.0.1/hook",
    "https://10.0.0.1/hook",
    "https://[::1]/",
    "https://localhost/",
    "https://name@example.com/",
    "https://:password@example.com/",
    "ftp://example.com/",
    `https://example.com/${"x".repeat(2_048)}`,
    "nonsense",
  ])("to %s is refused", async (url) => {
    const { trySubscribe } = caller();
    expect(await trySubscribe("", { url })).toMatchObject({ state: "refused" });
  });

  it.each([
    `whsec_${Buffer.alloc(23).toString("base64")}`,
    `whsec_${Buffer.alloc(65).toString("base64")}`,
    "x",
    "whsec_!",
  ])("with the secret %s is refused", async (secret) => {
    expect(await caller().trySubscribe("/x", { secret })).toMatchObject({ state: "refused" });
  });

  it("that is made again lives longer, and both secrets sign for a while", async () => {
    const { subscribe, emit, path } = caller();
    const first = await subscribe(path, { ttlMs: 1 });
    expect(first.expires).toBeLessThan(Date.now() + 61_000);
    const second = await subscribe(path, { ttlMs: null, secret: OTHER_SECRET });
    expect(second.id).toBe(first.id);
    expect(second.expires).toBeGreaterThan(Date.now() + 0.9 * DAY_MS);
    expect(second.delivery).toEqual({ isActive: true });
    await emit({ n: 1 });
    const [one] = (await receiver.wait(path, 1)) as [Received];
    expect(headersOf(one)["webhook-signature"]?.split(" ")).toHaveLength(2);
    verified(one, SECRET);
    verified(one, OTHER_SECRET);
  });

  it("that begins at a position gets what has happened since", async () => {
    const { subscribe, emit, read, path } = caller();
    const { cursor } = await read(null);
    await emit({ n: 1, list: "a" });
    await emit({ n: 2, list: "b" });
    await emit({ n: 3, list: "a" });
    const { isTruncated } = await subscribe(path, { cursor, args: { list: "a" } });
    expect(isTruncated).toBe(false);
    const all = await receiver.wait(path, 2);
    expect(all.map((one) => bodyOf(one).data.n).sort()).toEqual([1, 3]);
    for (const lost of ["0", "nonsense"]) {
      const again = await subscribe(`${path}-${lost}`, { cursor: lost });
      expect(again.isTruncated).toBe(true);
      await receiver.wait(`${path}-${lost}`, 3);
    }
  });

  it.runIf(isSlow)("that begins far back gets the newest 1,000, and is told that there were more", async () => {
    const { subscribe, emitMany, read, path } = caller();
    const { cursor } = await read(null);
    await emitMany(0, 1_003);
    expect(await subscribe(path, { cursor })).toMatchObject({ isTruncated: true });
    const numbers = new Set(numbersIn(await receiver.wait(path, 1_000)));
    const missing = upTo(1_003).filter((n) => !numbers.has(n));
    // Those of the first batch were emitted at once, in any order.
    expect(missing).toHaveLength(3);
    expect(Math.max(...missing)).toBeLessThan(50);
  });

  it("is one of so many for each principal, also if they are made at once", async () => {
    const { trySubscribe, path } = caller();
    const made = await Promise.all(upTo(30).map((n) => patiently(() => trySubscribe(`${path}-${n}`))));
    const states = made.map(({ state }) => state);
    expect(states.filter((state) => state === "subscribed")).toHaveLength(20);
    expect(states.filter((state) => state === "full")).toHaveLength(10);
  });

  it("ends on demand", async () => {
    const { subscribe, unsubscribe, emit, path } = caller();
    await subscribe(path);
    await subscribe(`${path}-on`);
    expect(await unsubscribe(path)).toBe(true);
    expect(await unsubscribe(path)).toBe(false);
    await emit({ n: 1 });
    await receiver.wait(`${path}-on`, 1);
    expect(receiver.at(path)).toEqual([]);
  });
});

describe("the position in a message", () => {
  it("is before the oldest event that was neither acknowledged nor given up", async () => {
    const { subscribe, emit, path, read } = caller();
    await subscribe(path);
    receiver.on(path, { status: 503, headers: { "retry-after": "3600" } }, "ok");
    const first = await emit({ n: 1 });
    await receiver.wait(path, 1);
    const { events } = await read("0");
    const position = Number(events.find(({ id }) => id === first)?.cursor);
    await emit({ n: 2 });
    const [, second] = (await receiver.wait(path, 2)) as [Received, Received];
    expect(Number(bodyOf(second).cursor)).toBeLessThan(position);
    expect(Number((await subscribe(path)).cursor)).toBeLessThan(position);
  });
});

describe("events that are asked for", () => {
  it.runIf(isSlow)("are looked for among 1,000 at a time", async () => {
    const { emitMany, read } = caller();
    const { cursor } = await read(null);
    await emitMany(0, 1_001);
    const first = await read(cursor, 100, { of: "nobody" });
    expect(first).toMatchObject({ events: [], hasMore: true });
    expect(await read(first.cursor, 100, { n: 1_000 })).toMatchObject({
      events: [{ data: { n: 1_000 } }],
      hasMore: false,
    });
  });

  it("come in pages, each with the position after it", async () => {
    const { emit, read } = caller();
    const { cursor } = await read(null);
    for (let n = 0; n < 5; n++) await emit({ n });
    const first = await read(cursor, 2);
    const second = await read(first.cursor, 10);
    expect(first).toMatchObject({ hasMore: true, isTruncated: false });
    expect(second).toMatchObject({ hasMore: false, isTruncated: false });
    expect([...first.events, ...second.events].map(({ data }) => data.n)).toEqual([0, 1, 2, 3, 4]);
    expect((await read(second.cursor)).events).toEqual([]);
    await emit({ n: 5 });
    expect((await read(second.cursor)).events).toMatchObject([{ data: { n: 5 } }]);
  });
});

it("a receiver that stalls does not hold up what is tried again elsewhere", async () => {
  const { subscribe, emit, path } = caller();
  await subscribe(path);
  receiver.on(path, "stall");
  const all = Array.from({ length: 20 }, (_, n) => n);
  await Promise.all(all.map((n) => emit({ n })));
  // All are in the hands of the alarm now, which waits for them.
  await receiver.wait(path, 4);
  await subscribe(`${path}-b`, { url: other.url(path) });
  other.on(path, "fail", "ok");
  await emit({ n: 20 });
  await other.wait(path, 2);
  expect(receiver.at(path).length).toBeLessThan(all.length);
});

it("what is under way survives a restart", async () => {
  const { subscribe, emit, path } = caller();
  await subscribe(path);
  await subscribe(`${path}-stalls`);
  receiver.on(path, { status: 503, headers: { "retry-after": "1" } }, "ok");
  receiver.on(`${path}-stalls`, "stall", "ok");
  const event = await emit({ n: 1 });
  await Promise.all([receiver.wait(path, 1), receiver.wait(`${path}-stalls`, 1)]);
  await served.restart();
  for (const at of [path, `${path}-stalls`]) {
    const [, again] = await receiver.wait(at, 2);
    expect(again?.headers["webhook-id"]).toBe(event);
  }
  await emit({ n: 2 });
  for (const at of [path, `${path}-stalls`]) {
    const [, , third] = await receiver.wait(at, 3);
    expect(third?.headers["webhook-sequence"]).toBe("2");
  }
});

it("a number is not used twice, though an earlier event arrives after a later one, and the object is restarted", async () => {
  const { subscribe, emit, path, dead } = caller();
  await subscribe(path);
  receiver.on(path, { status: 503, headers: { "retry-after": "2" } }, "ok", "too large", "ok");
  for (const n of [1, 2, 3]) {
    await emit({ n });
    await receiver.wait(path, n);
  }
  await until(async () => (await dead())?.length === 1);
  const first = (await receiver.wait(path, 4)).at(-1);
  expect(first?.headers["webhook-sequence"]).toBe("1");
  await served.restart();
  await emit({ n: 4 });
  const last = (await receiver.wait(path, 5)).at(-1);
  expect(last?.headers["webhook-sequence"]).toBe("4");
});
