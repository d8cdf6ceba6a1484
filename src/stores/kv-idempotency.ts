/**
 * Idempotency records on Workers KV. KV has no locks: two calls within a minute of each other may both run, if they
 * reach two locations or if the second starts before the first has ended. It only guarantees that a result is repeated
 * once it is visible.
 */

import { readRecord } from "../core/idempotency/sealed-record.ts";
import { describeError, type Log } from "../core/lib/log.ts";
import type { IdempotencyStore } from "../core/ports/idempotency-store.ts";

export function recordName(key: string): string {
  return `call:${key}`;
}

/** KV name of a result that its runner could not settle. Separate, because the key may have another call's result. */
export function leftName(key: string): string {
  return `left:${key}`;
}

/** @param ttlSeconds how long a result is kept; at least 60, the minimum of KV */
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
            // The tool has run: returning its result matters more than keeping it for a later call.
            log({ level: "error", message: "result not kept", error: describeError(error) });
          }
          return "kept";
        },
        // KV has no lease to extend.
        extendLease: async () => true,
        // Nothing was written: KV allows one write per second and key, and that one is for the result.
        release: async () => {},
      };
    },
  };
}
