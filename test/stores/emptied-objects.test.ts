/** Objects that store nothing any more have no storage and no alarm left, and can be used again. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Sessions } from "../../src/features/session-objects/sessions.ts";
import type { ClaimsObject } from "../../src/stores/claims-object.ts";
import type { Hub } from "../../src/stores/object-change-feed.ts";
import { contentOf, NOTHING } from "../support/objects.ts";

type Stub = DurableObjectStub<ClaimsObject> | DurableObjectStub<Hub>;

const { HUB, CLAIMS } = env as unknown as {
  HUB: DurableObjectNamespace<Hub>;
  CLAIMS: DurableObjectNamespace<ClaimsObject>;
};
const DAY_MS = 24 * 3_600_000;

const stored = (object: Stub) => runInDurableObject(object, (_, { storage }) => contentOf(storage));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

it("an object of sessions stores 128 KiB of one, also with concurrent calls", async () => {
  await runInDurableObject(HUB.getByName(crypto.randomUUID()), async (_, state) => {
    const sessions = new Sessions(state, env);
    const text = JSON.stringify("x".repeat(60_000));
    const update = (changes: [string, string | null][]) => sessions.update("s", changes, DAY_MS);
    expect([await update([["a", text]]), await update([["b", text]])]).toEqual(["kept", "kept"]);
    // Either all of a call's changes or none.
    const more: [string, string | null][] = [
      ["c", text],
      ["d", "1"],
    ];
    expect(await update(more)).toBe("too_large");
    expect(Object.keys(await sessions.read("s", DAY_MS))).toEqual(["a", "b"]);
    expect(await update([["a", null], ...more])).toBe("kept");
    expect(Object.keys(await sessions.read("s", DAY_MS))).toEqual(["b", "c", "d"]);
  });
});

describe("an object that stores nothing any more", () => {
  it("of tasks: once a deployment without long tools has replaced the one that made them", async () => {
    const left = CLAIMS.getByName(`tasks ${crypto.randomUUID()}`);
    await runInDurableObject(left, async (_, { storage }) => {
      storage.sql.exec("CREATE TABLE tasks (id TEXT PRIMARY KEY, call TEXT)");
      storage.sql.exec("INSERT INTO tasks VALUES ('a', 'a sealed call, with secrets')");
      await storage.setAlarm(Date.now() + DAY_MS);
    });
    await runDurableObjectAlarm(left);
    expect(await stored(left)).toEqual(NOTHING);
  });

  it("of claims: once its keys have expired", async () => {
    const claims = CLAIMS.getByName(crypto.randomUUID());
    const attempt = { fingerprint: "f", token: "t", leaseMs: 1_000, keepMs: 60_000 };
    await claims.release("k", "t");
    expect(await stored(claims)).toEqual(NOTHING);
    for (let time = 0; time < 2; time++) {
      expect(await claims.claim("k", attempt, 0)).toMatchObject({ state: "claimed" });
      expect(await claims.settle("k", attempt, "{}")).toBe("kept");
      vi.setSystemTime(Date.now() + DAY_MS);
      await runDurableObjectAlarm(claims);
      expect(await stored(claims)).toEqual(NOTHING);
    }
  });

  it("of subscriptions: once each is unsubscribed, its session has ended, or a day has passed", async () => {
    const own = HUB.getByName(crypto.randomUUID());
    expect(await own.kept("s")).toEqual([]);
    await own.forget("s");
    expect(await stored(own)).toEqual(NOTHING);
    const endings = [
      () => own.keep("s", "a:1", false),
      () => own.forget("s"),
      async () => {
        vi.setSystemTime(Date.now() + DAY_MS);
        await runDurableObjectAlarm(own);
      },
    ];
    for (const end of endings) {
      await own.keep("s", "a:1", true);
      expect(await own.kept("s")).toEqual(["a:1"]);
      await end();
      expect(await stored(own)).toEqual(NOTHING);
    }
  });

  it("of sessions: once they have expired", async () => {
    // The class is bound only in forks that want it: here it gets another object's storage.
    await runInDurableObject(HUB.getByName(crypto.randomUUID()), async (_, state) => {
      const sessions = new Sessions(state, env);
      expect(await sessions.read("s", DAY_MS)).toEqual({});
      expect(await sessions.hasEnded("s")).toBe(false);
      expect(await contentOf(state.storage)).toEqual(NOTHING);
      for (let time = 0; time < 2; time++) {
        await sessions.update("s", [["key", "1"]], DAY_MS);
        expect(await sessions.read("s", DAY_MS)).toEqual({ key: 1 });
        vi.setSystemTime(Date.now() + 1.5 * DAY_MS);
        await sessions.alarm();
        expect(await contentOf(state.storage)).toEqual(NOTHING);
      }
    });
  });
});
