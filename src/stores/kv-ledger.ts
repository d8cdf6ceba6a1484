/**
 * Idempotency records on Workers KV. It cannot exclude: two calls that come within a minute of each other, at two
 * locations or while the first still runs, may both run. It promises only that a result, once seen, is repeated.
 */
import type { Ledger, LedgerRecord } from "../core/ledger.ts";

/** @param ttlSeconds how long a result is kept; KV takes no less than 60 */
export function kvLedger(kv: KVNamespace, ttlSeconds: number): Ledger {
  return {
    async claim(key, fingerprint) {
      const name = `call:${key}`;
      const record = await kv.get<LedgerRecord>(name, "json");
      if (record !== null)
        return record.fingerprint === fingerprint ? { state: "known", record } : { state: "conflict" };
      return {
        state: "claimed",
        settle: (result) => kv.put(name, JSON.stringify(result), { expirationTtl: ttlSeconds }),
        // Nothing was written: KV allows one write a second per key, and that one belongs to the result.
        release: async () => {},
      };
    },
  };
}
