/**
 * Idempotency records on Workers KV. It cannot exclude: two calls that come within a minute of each other, at two
 * locations or while the first still runs, may both run. It promises only that a result, once seen, is repeated.
 */
import { type Ledger, type LedgerRecord, readRecord } from "../core/ledger.ts";
import { describeError, type Log } from "../core/log.ts";

/** Bytes that KV takes as one value; a record is ASCII. */
const MAX_RECORD = 25 * 1024 * 1024;

/** The name of a key's record. */
export function recordName(key: string): string {
  return `call:${key}`;
}

/** Where a runner leaves the result that it cannot settle: apart, as its key may have another's result by then. */
export function leftName(key: string): string {
  return `left:${key}`;
}

/** The record as text: of a result that no store takes, the one that says only that the call ran. */
export async function textOf(record: LedgerRecord, ranOnly: () => Promise<LedgerRecord>, log: Log): Promise<string> {
  const text = JSON.stringify(record);
  if (text.length <= MAX_RECORD) return text;
  log({ level: "warning", message: "result too large to be kept", characters: text.length });
  return JSON.stringify(await ranOnly());
}

/** @param ttlSeconds how long a result is kept; KV takes no less than 60 */
export function kvLedger(kv: KVNamespace, ttlSeconds: number, log: Log): Ledger {
  return {
    async claim({ key, fingerprint }) {
      const name = recordName(key);
      const record = readRecord(await kv.get(name));
      if (record) return record.fingerprint === fingerprint ? { state: "known", record } : { state: "conflict" };
      return {
        state: "claimed",
        async settle(record, ranOnly) {
          try {
            await kv.put(name, await textOf(record, ranOnly, log), { expirationTtl: ttlSeconds });
          } catch (error) {
            // The tool has run: its result is worth more to this caller than the promise to the next.
            log({ level: "error", message: "result not kept", error: describeError(error) });
          }
          return "kept";
        },
        // Nothing was written: KV allows one write a second per key, and that one belongs to the result.
        release: async () => {},
      };
    },
  };
}
