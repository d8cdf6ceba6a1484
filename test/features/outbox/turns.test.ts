/** Requests that read the events of an outbox, which may be large: one at a time. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Subscriptions } from "../../../src/features/outbox/object/subscriptions.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FILTER = { name: "notes.changed", args: {} };
const SECRET = `whsec_${btoa("k".repeat(24))}`;

/** An outbox with one event, which takes two seconds to open; or any time. */
function outbox(opening = () => new Promise<void>((resume) => setTimeout(resume, 2_000))) {
  let [now, most] = [0, 0];
  const row = { seq: 1, sealed: "" };
  const url = { url: "hash" };
  const core = {
    open: async () => ({ seal: async () => "" }),
    dependencies: {
      matches: async () => false,
      attempts: { allowed: [] },
      settings: { subscriptionsPerPrincipal: 100, eventSeconds: 1e9, subscriptionSeconds: 60 },
    },
    quota: { refusal: () => undefined, left: () => 1 },
    table: {
      reach: () => undefined,
      events: (_name: string, after: number) => (after < row.seq ? [row] : []),
      subscribed: () => [url],
      beforeNewest: () => undefined,
      before: () => undefined,
      subscription: () => undefined,
      make() {},
      putSubscription() {},
    },
    position: () => 1,
    timeOf: () => Date.now(),
    held: () => ({}),
    watermark: () => 1,
    changed() {},
    ring: async () => {},
    dispatcher: { go() {} },
    async eventOf() {
      most = Math.max(most, ++now);
      await opening();
      now--;
      return {};
    },
  };
  const subscriptions = new Subscriptions(core as never);
  const from = { cursor: "0", maxAgeMs: undefined };
  return {
    most: () => most,
    read: () => subscriptions.read("p", FILTER, { ...from, limit: 10 }),
    subscribe: () =>
      subscriptions.subscribe("p", { id: "s", ...url, host: "" }, {
        ...{ ...FILTER, ...from, url: "https://receiver.example/", secret: SECRET, ttlMs: null },
      } as never),
  };
}

it.each(["read", "subscribe"] as const)(
  "are served one after the other, however many there are: %s",
  async (method) => {
    const { most, ...methods } = outbox();
    const all = Promise.all(Array.from({ length: 10 }, () => methods[method]()));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await all).toHaveLength(10);
    expect(most()).toBe(1);
  },
);

it("do not wait for ever for one that does not end", async () => {
  const openings = [new Promise<void>(() => {}), Promise.resolve(), Promise.resolve()];
  const { read } = outbox(() => openings.shift() ?? Promise.resolve());
  void read();
  const further = [read(), read()];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await Promise.all(further)).toHaveLength(2);
});
