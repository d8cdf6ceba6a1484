/** The keys that an identity provider publishes (RFC 7517): when they are fetched, and when they count. */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { JOSEError, JWKSInvalid, JWKSNoMatchingKey } from "jose/errors";
import { atMost } from "../core/lib/wait.ts";

/** The provider of the keys does not answer: nobody can say whether a token is good. */
export class ProviderDown extends Error {}

/** How long the provider's keys are not asked for again, and how long they count at most while it cannot be reached. */
const FRESH_MS = 600_000;
const STALE_MS = 86_400_000;
/** How long a provider may take, how long one that failed is left alone, and how often an unknown key makes us ask. */
const PATIENCE_MS = 5_000;
const COOLDOWN_MS = 5_000;
const REFRESH_COOLDOWN_MS = 30_000;

/**
 * The provider's keys: kept, and fetched again when they are old or lack the one that a token names. Whoever comes
 * meanwhile waits for the same answer. While the provider cannot be reached, those that are known go on counting.
 */
export function publishedKeys(
  address: string,
  send: typeof fetch,
  now: () => number,
  report: (error: unknown) => void,
): JWTVerifyGetKey {
  const url = new URL(address);
  if (url.protocol !== "https:" && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) {
    throw new Error("JWT_JWKS_URL must be https");
  }
  let keys: JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let asking: { readonly since: number; readonly over: Promise<void> } | undefined;

  const fetchKeys = async () => {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await send(url, { headers: { accept: "application/json" }, redirect: "manual", signal });
      const set = response.status === 200 ? await response.json<JSONWebKeySet>() : undefined;
      if (!set?.keys?.length) throw new ProviderDown(`No keys at JWT_JWKS_URL: status ${response.status}`);
      keys = createLocalJWKSet(set);
      fetchedAt = now();
    } catch (error) {
      report(error);
      failedAt = now();
    } finally {
      asking = undefined;
    }
  };
  const refresh = async () => {
    if (now() - failedAt < COOLDOWN_MS) return;
    // A request whose caller has gone is let go with all that it waits for: its answer may never come.
    if (asking === undefined || now() - asking.since > PATIENCE_MS + 1_000)
      asking = { since: now(), over: fetchKeys() };
    await atMost(asking.over, PATIENCE_MS);
  };

  const find: JWTVerifyGetKey = async (header, token) => {
    if (keys === undefined || now() - fetchedAt > STALE_MS) throw new ProviderDown();
    try {
      return await keys(header, token);
    } catch (error) {
      // A key that is no key is the provider's fault, and not the token's.
      throw error instanceof JOSEError && !(error instanceof JWKSInvalid) ? error : new ProviderDown();
    }
  };
  return async (header, token) => {
    const isOld = now() - fetchedAt > FRESH_MS;
    if (isOld) await refresh();
    try {
      return await find(header, token);
    } catch (error) {
      const mayBeNew = error instanceof JWKSNoMatchingKey || error instanceof ProviderDown;
      if (!mayBeNew || now() - fetchedAt < REFRESH_COOLDOWN_MS) throw error;
      if (!isOld) await refresh();
      // Nobody could be asked whether there is such a key by now.
      if (now() - fetchedAt > REFRESH_COOLDOWN_MS) throw new ProviderDown();
      return find(header, token);
    }
  };
}
