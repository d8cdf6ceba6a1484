/**
 * Compares the object that stores claims with a model. The state machine alone: core/idempotency/lease.unit.test.ts.
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Claims, ClaimsObject } from "../../src/stores/claims-object.ts";
import { recordName } from "../../src/stores/kv-idempotency.ts";
import { follow, type Subject, steps } from "../faults/claim-model.ts";
import { cases } from "../support/tier.ts";

/** A failure prints its seed and path: pass them to fc.assert, next to numRuns, to repeat it. */
const RUNS = cases(20, 120);

describe("the object that stores claims", () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const { CLAIMS } = env as unknown as { CLAIMS: DurableObjectNamespace };

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

  it("rings at most once a minute, however many results become due: each time, it reads all rows", async () => {
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now });
    const { CLAIMS } = env as unknown as { CLAIMS: DurableObjectNamespace<ClaimsObject> };
    const object = CLAIMS.getByName(`busy ${crypto.randomUUID()}`);
    const keepMs = 24 * 3_600_000;
    for (const key of ["first", "second"]) {
      await object.claim(key, { fingerprint: "f", token: key, leaseMs: 5_000, keepMs }, 0);
      await object.settle(key, { fingerprint: "f", token: key, keepMs }, "{}");
      vi.setSystemTime(Date.now() + 2_000);
    }
    const due = now + 5 * 60_000;
    vi.setSystemTime(due + 1_000);
    await runInDurableObject(object, async (claims: ClaimsObject, { storage }) => {
      await claims.alarm();
      expect([...storage.sql.exec("SELECT key FROM claims WHERE record IS NOT NULL")]).toEqual([{ key: "second" }]);
      expect(await storage.getAlarm()).toBe(due + 61_000);
    });
  });
});

describe("a result that is too long for the object", () => {
  const { CLAIMS, KV } = env as unknown as { CLAIMS: DurableObjectNamespace; KV: KVNamespace };

  it("goes to KV, even if its key is free again by then", async () => {
    const object = CLAIMS.getByName(`long ${crypto.randomUUID()}`) as unknown as Claims;
    const [key, record] = [crypto.randomUUID(), `"${"x".repeat(2_000_000)}"`];
    expect(await object.settle(key, { fingerprint: "f", token: "t", keepMs: 60_000 }, record)).toBe("kept");
    expect((await KV.get(recordName(key)))?.length).toBe(record.length);
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
