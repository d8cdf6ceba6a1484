/** Values of sessions that KV has refused, whose writers the platform ends with their requests. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { kvSessions } from "../../src/stores/kv-sessions.ts";

beforeEach(() => {
  // No writer ever wakes up: its request is over.
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("values that KV refused are dropped 30 s after their writer stopped, unless they are read", async () => {
  let now = 0;
  const refused = async () => {
    throw new Error("429 Too Many Requests");
  };
  const read: string[] = [];
  const logged: string[] = [];
  const kv = {
    put: refused,
    async get(name: string) {
      read.push(name);
      return null;
    },
  };
  const dependencies = { kv, ttlSeconds: 60, now: () => now, defer: () => {} };
  const sessions = kvSessions({
    ...dependencies,
    log: ({ message }: { message: string }) => logged.push(message),
  } as never);
  await sessions.update("p", "one", { a: 1 }, {});
  expect(await sessions.read("p", "one")).toEqual({ a: 1 });
  read.length = 0;
  now = 30_001;
  expect(await sessions.read("p", "one")).toEqual({ a: 1 });
  await sessions.update("p", "two", { a: 2 }, {});
  expect([read.includes("session:p:one"), logged]).toEqual([false, []]);
  now = 60_003;
  await sessions.update("p", "three", { a: 3 }, {});
  expect(logged).toEqual(["session not kept", "session not kept"]);
  expect(await sessions.read("p", "one")).toEqual({});
});
