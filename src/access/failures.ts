/**
 * Counts invalid credentials per client address. An address with too many in one minute is shut out for the next: its
 * credentials are not checked, except those found valid recently, so others behind that address keep working.
 */
import type { Log } from "../core/lib/log.ts";
import { MINUTE_MS } from "../core/pipeline/authorize.ts";
import { addressOf } from "./anonymous.ts";
import { TtlCache } from "./ttl-cache.ts";

export interface Failures {
  /** Whether to refuse this credential unchecked. */
  shutsOut(headers: Headers, credential: string): boolean;
  /**
   * Counts one.
   *
   * @returns whether it is one too many: from now on the address is shut out
   */
  count(headers: Headers): Promise<boolean>;
  /** Told of each credential that was looked up and found valid. */
  found(credential: string): void;
}

/** Failures a minute of one address: the name of a rate limiter in wrangler.toml. Without it, they are not counted. */
const RATE = 60;
/** Longer than any other cache of checked credentials (keys.ts, jwt.ts, sign-in.ts). */
const GOOD_MS = 600_000;

/**
 * @param within counts one against this limit, per location; another isolate notices at its own next failure
 * @param now    milliseconds since 1970
 */
export function failures(
  rateLimit: (perMinute: number, key: string) => Promise<boolean>,
  now: () => number,
  log: Log,
): Failures {
  const shut = new TtlCache<true>(now);
  const good = new TtlCache<true>(now);
  let counts = true;
  return {
    shutsOut(headers, credential) {
      if (shut.size === 0 || good.get(credential)) return false;
      return shut.get(addressOf(headers)) !== undefined;
    },
    async count(headers) {
      const address = addressOf(headers);
      if (shut.get(address)) return true;
      if (!counts) return false;
      try {
        if (await rateLimit(RATE, `failed ${address}`)) return false;
      } catch (error) {
        counts = false;
        log({ level: "warning", message: "failed credentials are not limited", error: String(error) });
        return false;
      }
      if (shut.get(address) === undefined) {
        shut.set(address, true, now() + MINUTE_MS);
        log({ level: "warning", message: "refused", reason: "too many bad credentials" });
      }
      return true;
    },
    found: (credential) => good.set(credential, true, now() + GOOD_MS),
  };
}
