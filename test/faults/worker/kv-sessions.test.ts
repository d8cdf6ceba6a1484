/** KV sessions on a KV that throttles, hangs and fails: changes that an isolate still holds reach KV in the end. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kvSessions } from "../../../src/stores/kv-sessions.ts";

/** How long a write takes. */
const WRITE_MS = 200;

type Write = "ok" | "429" | "hangs";

/** A KV with one key. Its writes end as `writes` lists, in order; the last entry repeats. */
function open(...writes: Write[]) {
  const kept = new Map<string, string>();
  const logged: string[] = [];
  const take = async (change: () => void) => {
    const how = writes.length > 1 ? writes.shift() : writes[0];
    // After a request is cut short, neither its writes nor its timers resolve.
    if (how === "hangs") return new Promise<void>(() => {});
    await new Promise((resume) => setTimeout(resume, WRITE_MS));
    if (how === "429") throw new Error("KV PUT failed: 429 Too Many Requests");
    change();
  };
  const kv = {
    async get(name: string, type?: "json") {
      const text = kept.get(name) ?? null;
      return type === "json" && text !== null ? JSON.parse(text) : text;
    },
    put: (name: string, value: string) => take(() => kept.set(name, value)),
    delete: (name: string) => take(() => kept.delete(name)),
  } as unknown as KVNamespace;
  // Milliseconds for which each deferred task outlasted its call.
  const stays: number[] = [];
  const defer = (work: Promise<unknown>) => {
    const since = Date.now();
    const at = stays.push(Number.POSITIVE_INFINITY) - 1;
    work.then(() => {
      stays[at] = Date.now() - since;
    });
  };
  const store = kvSessions({
    kv,
    ttlSeconds: 60,
    now: Date.now,
    defer,
    log: ({ message }) => logged.push(message),
  });
  const inKv = () => JSON.parse(kept.get("session:p:s") ?? "{}").values;
  return { store, inKv, kept, logged, stays };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session that is written more often than KV takes", () => {
  it("is written in the end", async () => {
    const { store, inKv } = open("ok", "429", "ok");
    const calls = Array.from({ length: 20 }, (_, call) => store.update("p", "s", { [`k${call}`]: call }));
    await vi.advanceTimersByTimeAsync(10_000);
    await Promise.all(calls);
    expect(Object.keys(inKv())).toHaveLength(20);
  });

  it("for a long time is still written after a late write fails", async () => {
    const { store, inKv, logged } = open(...(["ok", "429", ...Array(9).fill("ok"), "429", "ok"] as Write[]));
    // An update arrives during each write, so that there is always more to write.
    for (let call = 0; call < 150; call++) {
      void store.update("p", "s", { [`k${call}`]: call });
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(logged).toEqual([]);
    expect(Object.keys(inKv())).toHaveLength(150);
  });

  it('defers no work past a call for 30 s ("up to 30 seconds after the response", Workers, waitUntil)', async () => {
    const { store, inKv, stays } = open("ok", "429", "ok");
    // An update arrives during each write, so that there is always more to write.
    for (let call = 0; call < 1_200; call++) {
      void store.update("p", "s", { last: call });
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stays.length).toBeGreaterThan(4);
    expect(Math.max(...stays)).toBeLessThan(25_000);
    expect(inKv()).toEqual({ last: 1_199 });
  });

  it("whose writer was cut short with its request: a later call writes the rest", async () => {
    const { store, inKv } = open("429", "hangs", "ok");
    void store.update("p", "s", { a: 1 });
    await vi.advanceTimersByTimeAsync(30_000);
    void store.update("p", "s", { b: 2 });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(inKv()).toEqual({ a: 1, b: 2 });
  });
});

describe("a call that was cut short while it wrote", () => {
  it("does not block the next call of its session forever", async () => {
    const { store, inKv } = open("hangs", "ok");
    void store.update("p", "s", { a: 1 });
    const next = store.update("p", "s", { b: 2 });
    await vi.advanceTimersByTimeAsync(30_000);
    await expect(Promise.race([next, Promise.reject(new Error("held up"))])).resolves.toBeUndefined();
    expect(inKv()).toEqual({ b: 2 });
  });
});

describe("a session that ends just after a write", () => {
  it("has ended, even if KV refuses the deletion", async () => {
    const { store } = open("ok", "ok", "429");
    const done = store.update("p", "s", { a: 1 }).then(() => store.end("p", "s"));
    await vi.advanceTimersByTimeAsync(2_000);
    await expect(done).resolves.toBeUndefined();
    expect(await store.hasEnded("p", "s")).toBe(true);
  });

  it("is not written again by the writer of what KV had refused", async () => {
    const { store, kept } = open("429", "ok");
    const done = store.update("p", "s", { a: 1 }).then(() => store.end("p", "s"));
    await vi.advanceTimersByTimeAsync(10_000);
    await done;
    expect([...kept.keys()]).toEqual(["ended:p:s"]);
  });
});
