/** The contract of idempotency stores. Every implementation must pass it. */
import { describe, expect, it } from "vitest";
import type {
  Claim,
  ClaimRequest,
  IdempotencyRecord,
  IdempotencyStore,
} from "../../src/core/ports/idempotency-store.ts";

export interface Promises {
  /** Whether only one runner at a time can have a key. */
  readonly excludes: boolean;
}

const LONG_MS = 60_000;

/** Tests a store. `open` returns one whose leases, if any, last no longer than their run. */
export function idempotencyStoreContract(name: string, { excludes }: Promises, open: () => IdempotencyStore): void {
  const request = (more: Partial<ClaimRequest> = {}): ClaimRequest => ({
    principal: "me",
    // In hex, as the core creates them.
    key: crypto.randomUUID().replaceAll("-", ""),
    fingerprint: "f",
    once: true,
    limitMs: LONG_MS,
    ...more,
  });
  const record = (sealed: string, fingerprint = "f"): IdempotencyRecord => ({ fingerprint, sealed });
  const mine = (claim: Claim) => {
    if (claim.state !== "claimed") throw new Error(`not claimed: ${claim.state}`);
    return claim;
  };
  /** Skips what a store does not promise, without a skipped test. */
  const where = (isPromised: boolean) => (isPromised ? it : () => {});
  const ranOnly = async () => record("ran");

  describe(`${name} fulfils the contract of idempotency stores:`, () => {
    it.each([true, false])("a result that was settled is found again (once: %s)", async (once) => {
      const store = open();
      const call = request({ once });
      expect(await mine(await store.claim(call)).settle(record("first"), ranOnly)).toBe("kept");
      expect(await store.claim(call)).toEqual({ state: "known", record: record("first") });
      expect((await store.claim(request({ once }))).state).toBe("claimed");
    });

    it.each([true, false])("another call under a key that has a result is a conflict (once: %s)", async (once) => {
      const store = open();
      const call = request({ once });
      await mine(await store.claim(call)).settle(record("first"), ranOnly);
      expect(await store.claim({ ...call, fingerprint: "g" })).toEqual({ state: "conflict" });
    });

    it.each([true, false])("looking up a key returns its state, and claims nothing (once: %s)", async (once) => {
      const store = open();
      const call = request({ once });
      expect(await store.look(call)).toBeUndefined();
      const claim = mine(await store.claim(call));
      if (excludes && once) expect((await store.look({ ...call, limitMs: 0 }))?.state).toBe("running");
      await claim.settle(record("first"), ranOnly);
      expect(await store.look(call)).toEqual({ state: "known", record: record("first") });
      expect(await store.look({ ...call, fingerprint: "g" })).toEqual({ state: "conflict" });
    });

    it("a released key is free, also for another call", async () => {
      const store = open();
      const call = request();
      await mine(await store.claim(call)).release();
      const other = mine(await store.claim({ ...call, fingerprint: "g" }));
      expect(await other.settle(record("second", "g"), ranOnly)).toBe("kept");
      expect((await store.claim(call)).state).toBe("conflict");
    });

    it("a runner that waits for its caller keeps its key", async () => {
      const store = open();
      const runner = mine(await store.claim(request()));
      expect(await runner.extendLease(LONG_MS)).toBe(true);
      expect(await runner.settle(record("first"), ranOnly)).toBe("kept");
    });

    it("a long result is stored unchanged", async () => {
      const store = open();
      const call = request();
      const long = record("x".repeat(3_000_000));
      await mine(await store.claim(call)).settle(long, ranOnly);
      const found = await store.claim(call);
      expect(found.state === "known" && found.record.sealed.length).toBe(long.sealed.length);
    });

    where(!excludes)("it cannot exclude: calls that overlap both run, and the last to end is repeated", async () => {
      const store = open();
      const call = request();
      const [one, other] = [mine(await store.claim(call)), mine(await store.claim(call))];
      expect(await one.settle(record("one"), ranOnly)).toBe("kept");
      expect(await other.settle(record("other"), ranOnly)).toBe("kept");
      expect(await store.claim(call)).toEqual({ state: "known", record: record("other") });
    });

    where(excludes)("of many who claim at once one runs, and the others get its result", async () => {
      const store = open();
      const call = request();
      let runs = 0;
      const crowd = Array.from({ length: 10 }, async () => {
        const claim = await store.claim(call);
        if (claim.state === "claimed") await claim.settle(record(`run ${++runs}`), ranOnly);
        return claim.state;
      });
      expect((await Promise.all(crowd)).sort()).toEqual(["claimed", ...Array(9).fill("known")]);
      expect(runs).toBe(1);
    });

    where(excludes)("who waits for a run that gives its key back runs itself", async () => {
      const store = open();
      const call = request();
      const first = mine(await store.claim(call));
      const next = store.claim(call);
      await first.release();
      expect((await next).state).toBe("claimed");
    });

    where(excludes)("a caller that has waited as long as a run may take gets a retry time", async () => {
      const store = open();
      const call = request();
      mine(await store.claim(call));
      const answer = await store.claim({ ...call, limitMs: 1 });
      expect(answer).toEqual({ state: "running", retryAfterMs: expect.any(Number) });
    });

    where(excludes)("another call is a conflict while the first runs", async () => {
      const store = open();
      const call = request();
      mine(await store.claim(call));
      expect(await store.claim({ ...call, fingerprint: "g" })).toEqual({ state: "conflict" });
    });

    where(excludes)("a runner past its lease loses its key to the next, and gets the other's result", async () => {
      const store = open();
      const call = request();
      const first = mine(await store.claim({ ...call, limitMs: 1 }));
      const second = mine(await store.claim(call));
      expect(await first.extendLease(LONG_MS)).toBe(false);
      expect(await first.settle(record("late"), ranOnly)).toMatchObject({ state: "running" });
      // The key is no longer this runner's to release.
      await first.release();
      expect(await second.settle(record("second"), ranOnly)).toBe("kept");
      expect(await first.settle(record("late"), ranOnly)).toEqual({ state: "known", record: record("second") });
    });
  });
}
