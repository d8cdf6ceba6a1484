/** What every store of idempotency records keeps to. */
import { describe, expect, it } from "vitest";
import type {
  Claim,
  ClaimRequest,
  IdempotencyRecord,
  IdempotencyStore,
} from "../../src/core/ports/idempotency-store.ts";

export interface Promises {
  /** Whether one runner at a time has a key. */
  readonly excludes: boolean;
}

const LONG_MS = 60_000;

/** @param open a store whose leases last no longer than the run that they are for, if it has any */
export function idempotencyStoreContract(name: string, { excludes }: Promises, open: () => IdempotencyStore): void {
  const request = (more: Partial<ClaimRequest> = {}): ClaimRequest => ({
    principal: "me",
    // As the core makes them: in hex.
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
  /** What is not promised is no test that was left out. */
  const where = (isPromised: boolean) => (isPromised ? it : () => {});
  const ranOnly = async () => record("ran");

  describe(`${name} keeps to the contract of idempotency stores:`, () => {
    it.each([true, false])("a result that was settled is found again (once: %s)", async (once) => {
      const store = open();
      const asked = request({ once });
      expect(await mine(await store.claim(asked)).settle(record("first"), ranOnly)).toBe("kept");
      expect(await store.claim(asked)).toEqual({ state: "known", record: record("first") });
      expect((await store.claim(request({ once }))).state).toBe("claimed");
    });

    it.each([true, false])("another call under a key that has a result is a conflict (once: %s)", async (once) => {
      const store = open();
      const asked = request({ once });
      await mine(await store.claim(asked)).settle(record("first"), ranOnly);
      expect(await store.claim({ ...asked, fingerprint: "g" })).toEqual({ state: "conflict" });
    });

    it.each([true, false])("looking says what there is, and claims nothing (once: %s)", async (once) => {
      const store = open();
      const asked = request({ once });
      expect(await store.look(asked)).toBeUndefined();
      const claim = mine(await store.claim(asked));
      if (excludes && once) expect((await store.look({ ...asked, limitMs: 0 }))?.state).toBe("running");
      await claim.settle(record("first"), ranOnly);
      expect(await store.look(asked)).toEqual({ state: "known", record: record("first") });
      expect(await store.look({ ...asked, fingerprint: "g" })).toEqual({ state: "conflict" });
    });

    it("a key that was given back is free, for another call too", async () => {
      const store = open();
      const asked = request();
      await mine(await store.claim(asked)).release();
      const other = mine(await store.claim({ ...asked, fingerprint: "g" }));
      expect(await other.settle(record("second", "g"), ranOnly)).toBe("kept");
      expect((await store.claim(asked)).state).toBe("conflict");
    });

    it("a runner that waits for its caller keeps its key", async () => {
      const store = open();
      const runner = mine(await store.claim(request()));
      expect(await runner.extendLease(LONG_MS)).toBe(true);
      expect(await runner.settle(record("first"), ranOnly)).toBe("kept");
    });

    it("a long result is kept as it is", async () => {
      const store = open();
      const asked = request();
      const long = record("x".repeat(3_000_000));
      await mine(await store.claim(asked)).settle(long, ranOnly);
      const found = await store.claim(asked);
      expect(found.state === "known" && found.record.sealed.length).toBe(long.sealed.length);
    });

    where(!excludes)("it cannot exclude: calls that overlap both run, and the last to end is repeated", async () => {
      const store = open();
      const asked = request();
      const [one, other] = [mine(await store.claim(asked)), mine(await store.claim(asked))];
      expect(await one.settle(record("one"), ranOnly)).toBe("kept");
      expect(await other.settle(record("other"), ranOnly)).toBe("kept");
      expect(await store.claim(asked)).toEqual({ state: "known", record: record("other") });
    });

    where(excludes)("of many who claim at once one runs, and the others get its result", async () => {
      const store = open();
      const asked = request();
      let runs = 0;
      const crowd = Array.from({ length: 10 }, async () => {
        const claim = await store.claim(asked);
        if (claim.state === "claimed") await claim.settle(record(`run ${++runs}`), ranOnly);
        return claim.state;
      });
      expect((await Promise.all(crowd)).sort()).toEqual(["claimed", ...Array(9).fill("known")]);
      expect(runs).toBe(1);
    });

    where(excludes)("who waits for a run that gives its key back runs itself", async () => {
      const store = open();
      const asked = request();
      const first = mine(await store.claim(asked));
      const next = store.claim(asked);
      await first.release();
      expect((await next).state).toBe("claimed");
    });

    where(excludes)("who has waited as long as a run may take is told to come again", async () => {
      const store = open();
      const asked = request();
      mine(await store.claim(asked));
      const told = await store.claim({ ...asked, limitMs: 1 });
      expect(told).toEqual({ state: "running", retryAfterMs: expect.any(Number) });
    });

    where(excludes)("another call is a conflict while the first runs", async () => {
      const store = open();
      const asked = request();
      mine(await store.claim(asked));
      expect(await store.claim({ ...asked, fingerprint: "g" })).toEqual({ state: "conflict" });
    });

    where(excludes)(
      "a runner that is over its time loses its key to the next, and gets what became of it",
      async () => {
        const store = open();
        const asked = request();
        const first = mine(await store.claim({ ...asked, limitMs: 1 }));
        const second = mine(await store.claim(asked));
        expect(await first.extendLease(LONG_MS)).toBe(false);
        expect(await first.settle(record("late"), ranOnly)).toMatchObject({ state: "running" });
        // Not its key to give back.
        await first.release();
        expect(await second.settle(record("second"), ranOnly)).toBe("kept");
        expect(await first.settle(record("late"), ranOnly)).toEqual({ state: "known", record: record("second") });
      },
    );
  });
}
