/** How much an object keeps of sessions, and how it deletes them. (What a session is: session-store.contract.ts.) */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { objectSessions } from "../../../src/features/session-objects/object-sessions.ts";
import type { Sessions } from "../../../src/features/session-objects/sessions.ts";

/** As plain methods: the types of RPC wrap each value of JSON, without end. */
type Stub = Pick<Sessions, "read" | "update"> & DurableObjectStub;
const { CONTRACT_SESSIONS } = env as unknown as { CONTRACT_SESSIONS: { getByName(name: string): Stub } };
const TTL_MS = 60_000;

it("has 256 values at most: one that is there may change or go, and makes room for another", async () => {
  const object = CONTRACT_SESSIONS.getByName(crypto.randomUUID());
  const value = (key: number, text: string | null = "1") => [`${key}`, text] as const;
  const values = Array.from({ length: 256 }, (_, key) => value(key));
  expect(await object.update("s", [...values, value(256)], TTL_MS)).toBe("too_large");
  expect(await object.read("s", TTL_MS)).toEqual({});
  // Nothing that would have to be deleted.
  const tables = await runInDurableObject(object, (_, { storage }) => [
    ...storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'sessions'"),
  ]);
  expect(tables).toEqual([]);
  expect(await object.update("s", values, TTL_MS)).toBe("kept");
  expect(await object.update("s", [value(256)], TTL_MS)).toBe("too_large");
  expect(await object.update("s", [value(0, "2")], TTL_MS)).toBe("kept");
  expect(await object.update("s", [value(0, null), value(256)], TTL_MS)).toBe("kept");
  expect(Object.keys(await object.read("s", TTL_MS))).toHaveLength(256);
});

it("takes nothing that makes it larger once it has 256 MB, but lets sessions shrink and end", async () => {
  const object = CONTRACT_SESSIONS.getByName(crypto.randomUUID());
  expect(await object.update("s", [["a", "1234"]], TTL_MS)).toBe("kept");
  await runInDurableObject(object, (_, { storage }) => {
    Object.defineProperty(storage.sql, "databaseSize", { value: 256_000_001 });
  });
  expect(await object.update("s", [["b", "1"]], TTL_MS)).toBe("no_room");
  expect(await object.update("new", [["a", "1"]], TTL_MS)).toBe("no_room");
  expect(await object.update("s", [["a", "12"]], TTL_MS)).toBe("kept");
  expect(await object.read("s", TTL_MS)).toEqual({ a: 12 });
  expect(await object.update("s", [["a", null]], TTL_MS)).toBe("kept");
});

it("deletes expired sessions a few at a time, because others wait meanwhile", async () => {
  const object = CONTRACT_SESSIONS.getByName(crypto.randomUUID());
  await object.update("live", [["a", "1"]], TTL_MS);
  const count = () =>
    runInDurableObject(object, async (_, { storage }) => {
      const { rows } = storage.sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM contents").one();
      return { rows, isSoon: ((await storage.getAlarm()) ?? Number.POSITIVE_INFINITY) <= Date.now() + 5_000 };
    });
  await runInDurableObject(object, (_, { storage }) => {
    for (let at = 0; at < 450; at++) {
      storage.sql.exec("INSERT INTO sessions VALUES (?, 1, 0)", `old ${at}`);
      storage.sql.exec("INSERT INTO contents VALUES (?, 'a', '1')", `old ${at}`);
    }
  });
  const left: unknown[] = [];
  for (let at = 0; at < 3; at++) {
    await runDurableObjectAlarm(object);
    left.push(await count());
  }
  expect(left).toEqual([
    { rows: 251, isSoon: true },
    { rows: 51, isSoon: true },
    { rows: 1, isSoon: false },
  ]);
});

it("objectSessions repeats a request if its object restarts", async () => {
  const asked: unknown[] = [];
  const restarting = (method: string, answer: unknown) => async () => {
    asked.push(method);
    if (asked.filter((one) => one === method).length === 1) throw new Error("Internal error in Durable Object storage");
    return answer;
  };
  const object = {
    ...{ read: restarting("read", { a: 1 }), update: restarting("update", "kept") },
    ...{ end: restarting("end", undefined), hasEnded: restarting("hasEnded", true) },
  };
  const sessions = objectSessions({ getByName: () => object } as never, 60);
  expect(await sessions.read("key:one", "s")).toEqual({ a: 1 });
  await sessions.update("key:one", "s", { a: 2 }, undefined);
  await sessions.end("key:one", "s");
  expect(await sessions.hasEnded("key:one", "s")).toBe(true);
  expect(asked).toEqual(["read", "read", "update", "update", "end", "end", "hasEnded", "hasEnded"]);
});
