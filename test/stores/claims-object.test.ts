/**
 * Compares the object that stores claims with a model. The state machine alone: core/idempotency/lease.unit.test.ts.
 */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Claims, ClaimsObject } from "../../src/stores/claims-object.ts";
import { recordName } from "../../src/stores/kv-idempotency.ts";
import { follow, type Subject, steps } from "../faults/claim-model.ts";
import { cases } from "../support/tier.ts";

const { CLAIMS, KV } = env as unknown as { CLAIMS: DurableObjectNamespace<ClaimsObject>; KV: KVNamespace };

/** A failure prints its seed and path: pass them to fc.assert, next to numRuns, to repeat it. */
const RUNS = cases(20, 120);

describe("the object that stores claims", () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  it(`behaves as the model, in ${RUNS} random histories`, async () => {
    // In tests, objects run in this isolate and use its clock.
    vi.useFakeTimers({ toFake: ["Date"] });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const start = Date.now();
        const object = CLAIMS.getByName(`model ${crypto.randomUUID()}`) as unknown as Claims;
        await follow(history, kept(object), start, (now) => vi.setSystemTime(now));
      }),
      { numRuns: RUNS },
    );
  });

  it("gives the key to one of many that claim it at the same moment, and its result to the others", async () => {
    const object = CLAIMS.getByName(`crowd ${crypto.randomUUID()}`) as unknown as Claims;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 20 }), fc.boolean(), async (size, settles) => {
        const key = crypto.randomUUID();
        let running = 0;
        let runs = 0;
        const crowd = Array.from({ length: size }, async (_, index) => {
          const attempt = { fingerprint: "f", token: `${index}`, leaseMs: 5_000, keepMs: 60_000 };
          let found = await object.claim(key, attempt, 5_000);
          // A waiting caller is told that the key is free, and claims it again.
          while (found.state === "running" && found.untilMs === 0) found = await object.claim(key, attempt, 5_000);
          if (found.state === "done") return found.record;
          expect(found.state).toBe("claimed");
          expect(++running).toBe(1);
          await new Promise((resume) => setTimeout(resume, 1));
          running--;
          const result = JSON.stringify({ run: ++runs });
          // In half of the histories each runner releases the key, and the next runs.
          if (settles) expect(await object.settle(key, attempt, result)).toBe("kept");
          else await object.release(key, attempt.token);
          return result;
        });
        const results = await Promise.all(crowd);
        expect(new Set(results).size).toBe(settles ? 1 : size);
      }),
      { numRuns: cases(5, 20) },
    );
  });
});

describe("the alarm of the object", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("looks every ten minutes at most, however many keys expire: each time, it reads all rows", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const object = CLAIMS.getByName(`busy ${crypto.randomUUID()}`);
    const keepMs = 24 * 3_600_000;
    for (const key of ["first", "second"]) {
      await object.claim(key, { fingerprint: "f", token: key, leaseMs: 5_000, keepMs }, 0);
      await object.settle(key, { fingerprint: "f", token: key, keepMs }, "{}");
      vi.setSystemTime(Date.now() + 2_000);
    }
    vi.setSystemTime(Date.now() + keepMs - 3_000);
    await runInDurableObject(object, async (claims: ClaimsObject, { storage }) => {
      await claims.alarm();
      expect([...storage.sql.exec("SELECT key FROM claims")]).toEqual([{ key: "second" }]);
      expect(await storage.getAlarm()).toBe(Date.now() + 600_000);
    });
  });
});

describe("a result", () => {
  const resultIn = (object: DurableObjectStub<ClaimsObject>, key: string) =>
    runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec<{ record: string | null }>("SELECT record FROM claims WHERE key = ?", key).one(),
    );
  const settled = async (record: string, full = false) => {
    const object = CLAIMS.getByName(`results ${crypto.randomUUID()}`);
    const key = crypto.randomUUID();
    if (full) {
      await runInDurableObject(object, (_, { storage }) => {
        Object.defineProperty(storage.sql, "databaseSize", { value: 256_000_001 });
      });
    }
    expect(await object.settle(key, { fingerprint: "f", token: "t", keepMs: 60_000 }, record)).toBe("kept");
    return { kv: await KV.get(recordName(key)), ...(await resultIn(object, key)) };
  };

  it.each([
    ["of 64 KiB", 65_534, false, "object"],
    ["of more", 65_535, false, "kv"],
    ["of 2 MB", 2_000_000, false, "kv"],
    ["of an object that has 256 MB", 10, true, "kv"],
  ])("%s is kept in one place, even if its key is free again by then", async (_, length, full, place) => {
    const record = `"${"x".repeat(length)}"`;
    expect(await settled(record, full)).toEqual(place === "kv" ? { kv: record, record: null } : { kv: null, record });
  });
});

describe("an object of an earlier version", () => {
  const EARLIER =
    "CREATE TABLE claims (key TEXT PRIMARY KEY, fingerprint TEXT, token TEXT, again INTEGER, deadline INTEGER, " +
    "done INTEGER, expires INTEGER, record TEXT, copied INTEGER)";
  const attempt = { fingerprint: "f", token: "mine", leaseMs: 5_000, keepMs: 60_000 };

  it("goes on with its rows, which the first alarm moves to a table without row ids; and back", async () => {
    const object = CLAIMS.getByName(`earlier ${crypto.randomUUID()}`);
    const later = Date.now() + 60_000;
    await runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec(EARLIER);
      for (const [key, done, record] of [
        ["has", 1, "{}"],
        ["handed", 1, null],
        ["runs", 0, null],
      ] as const)
        storage.sql.exec("INSERT INTO claims VALUES (?, 'f', 't', 0, ?, ?, ?, ?, 0)", key, later, done, later, record);
    });
    // The instance has seen an empty storage.
    await evictDurableObject(object);
    const answers = async () => [
      await object.claim("has", attempt, 0),
      await object.claim("handed", attempt, 0),
      await object.claim("runs", attempt, 0),
    ];
    const expected = [{ state: "done", record: "{}" }, { state: "done" }, { state: "running", untilMs: later }];
    expect(await answers()).toEqual(expected);
    expect(await object.claim("new", attempt, 0)).toMatchObject({ state: "claimed" });
    await runInDurableObject(object, async (claims: ClaimsObject, { storage }) => {
      await claims.alarm();
      const tables = storage.sql.exec<{ sql: string }>(
        "SELECT sql FROM sqlite_master WHERE name IN ('claims', 'earlier')",
      );
      expect([...tables].map(({ sql }) => sql)).toEqual([`${EARLIER} WITHOUT ROWID`]);
      // As the earlier version writes.
      storage.sql.exec("INSERT OR REPLACE INTO claims VALUES ('old', 'f', 't', 0, ?, 1, ?, '{}', 0)", later, later);
      storage.sql.exec("UPDATE claims SET record = NULL WHERE key = 'has' AND token = 't'");
    });
    expect(await answers()).toEqual([{ state: "done" }, ...expected.slice(1)]);
    expect(await object.settle("new", attempt, "{}")).toBe("kept");
    expect(await object.claim("old", attempt, 0)).toEqual({ state: "done", record: "{}" });
  });
});

/** One key of an object. */
function kept(object: Claims): Subject {
  return {
    async claim(attempt) {
      const { record: _, ...answer } = { record: undefined, ...(await object.claim("key", attempt, 0)) };
      return answer;
    },
    settle: async (attempt, text) => ((await object.settle("key", attempt, text)) === "kept" ? "kept" : "lost"),
    release: (token) => object.release("key", token),
    forsake: (token) => object.forsake("key", token),
    extend: (token, leaseMs) => object.extend("key", token, leaseMs),
  };
}
