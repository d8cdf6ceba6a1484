/**
 * Counts invalid credentials per client address. An address with too many in one minute is blocked for the next minute:
 * its credentials are refused unchecked, except tokens, which are checked by their signature, and credentials that were
 * recently found valid. So honest callers at that address can continue.
 */
import { MINUTE_MS } from "../core/call/authorize.ts";
import type { Log } from "../core/lib/log.ts";
import { addressOf } from "./anonymous.ts";
import { TtlCache } from "./ttl-cache.ts";

export type Failures = ReturnType<typeof failures>;

/** Failures per minute and address. Counted by the limiter RATE_60 in wrangler.toml; without it, there is no limit. */
const RATE = 60;
/** Longer than any other cache of checked credentials (keys.ts, sign-in.ts, src/features/tokens). */
const VALID_MS = 600_000;

/**
 * @param rateLimit counts one request against a limit, per location; resolves with whether it is within the limit. An
 *   isolate learns that an address is blocked when it counts its own next failure
 * @param now       milliseconds since 1970
 */
export function failures(rateLimit: (perMinute: number, key: string) => Promise<boolean>, now: () => number, log: Log) {
  const blocked = new TtlCache<true>(now);
  const valid = new TtlCache<true>(now);
  let hasLimiter = true;
  return {
    /** Whether to refuse this credential unchecked. */
    blocks(headers: Headers, credential: string): boolean {
      if (blocked.size === 0 || valid.get(credential)) return false;
      return blocked.get(addressOf(headers)) !== undefined;
    },
    /**
     * Counts one invalid credential.
     *
     * @returns whether the address is over the limit, and therefore blocked
     */
    async count(headers: Headers): Promise<boolean> {
      const address = addressOf(headers);
      if (blocked.get(address)) return true;
      if (!hasLimiter) return false;
      try {
        if (await rateLimit(RATE, `failed ${address}`)) return false;
      } catch (error) {
        hasLimiter = false;
        log({ level: "warning", message: "failed credentials are not limited", error: String(error) });
        return false;
      }
      if (blocked.get(address) === undefined) {
        blocked.set(address, true, now() + MINUTE_MS);
        log({ level: "warning", message: "refused", reason: "too many bad credentials" });
      }
      return true;
    },
    /** Remembers a credential that was looked up and found valid. */
    remember: (credential: string) => valid.set(credential, true, now() + VALID_MS),
  };
}
