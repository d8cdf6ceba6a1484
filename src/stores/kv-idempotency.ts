/**
 * Idempotency records on Workers KV. It cannot exclude: two calls that come within a minute of each other, at two
 * locations or while the first still runs, may both run. It promises only that a result, once seen, is repeated.
 */

import { describeError, type Log } from "../core/lib/log.ts";
import { type IdempotencyStore, readRecord } from "../core/ports/idempotency-store.ts";

/** The name of a key's record. */
export function recordName(key: string): string {
  return `call:${key}`;
}

/** Where a runner leaves the result that it cannot settle: apart, as its key may have another's result by then. */
export function leftName(key: string): string {
  return `left:${key}`;
}

/** @param ttlSeconds how long a result is kept; KV takes no less than 60 */
export function kvIdempotency(kv: KVNamespace, ttlSeconds: number, log: Log): IdempotencyStore {
  const look: IdempotencyStore["look"] = async ({ key, fingerprint }) => {
    const record = readRecord(await kv.get(recordName(key)));
    return record && (record.fingerprint === fingerprint ? { state: "known", record } : { state: "conflict" });
  };
  return {
    look,
    async claim(request) {
      const found = await look(request);
      if (found) return found;
      const name = recordName(request.key);
      return {
        state: "claimed",
        async settle(record) {
          try {
            await kv.put(name, JSON.stringify(record), { expirationTtl: ttlSeconds });
          } catch (error) {
            // The tool has run: its result is worth more to this caller than the promise to the next.
            log({ level: "error", message: "result not kept", error: describeError(error) });
          }
          return "kept";
        },
        // KV has no lease to extend.
        extendLease: async () => true,
        // Nothing was written: KV allows one write a second per key, and that one belongs to the result.
        release: async () => {},
      };
    },
  };
}
