/** The public keys of an identity provider (RFC 7517): when they are fetched, and how long they are trusted. */
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { JOSEError, JWKSInvalid, JWKSNoMatchingKey } from "jose/errors";
import { ProviderDown, type TokenDependencies } from "../../access/tokens.ts";
import { atMost } from "../../core/lib/wait.ts";

/** Age after which the keys are fetched again, and age after which they are no longer used if that fails. */
const FRESH_MS = 600_000;
const STALE_MS = 86_400_000;
const TIMEOUT_MS = 5_000;
/** Pause after a fetch that failed. */
const COOLDOWN_MS = 5_000;
/** Shortest time between two fetches because of an unknown key. */
const REFRESH_COOLDOWN_MS = 30_000;

/**
 * Caches the provider's keys, and fetches them again when they are old or lack the one that a token names. Concurrent
 * requests share one fetch. While the provider cannot be reached, the known keys stay in use, for a day at most.
 *
 * @param address JWT_JWKS_URL: https, or http on loopback
 * @returns a key lookup for jose's `jwtVerify`, which throws {@link ProviderDown} if it has no keys to look in
 * @throws if the address is neither https nor http on loopback
 */
export function publishedKeys(
  address: string,
  { send, now, defer, report }: Pick<TokenDependencies, "send" | "now" | "defer" | "report">,
): JWTVerifyGetKey {
  const url = new URL(address);
  if (url.protocol !== "https:" && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) {
    throw new Error("JWT_JWKS_URL must be https");
  }
  let keys: JWTVerifyGetKey | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetching: { readonly since: number; readonly done: Promise<void> } | undefined;

  const fetchKeys = async () => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await send(url, { headers: { accept: "application/json" }, redirect: "manual", signal });
      const set = response.status === 200 ? await response.json<JSONWebKeySet>() : undefined;
      if (!set?.keys?.length) throw new ProviderDown(`No keys at JWT_JWKS_URL: status ${response.status}`);
      keys = createLocalJWKSet(set);
      fetchedAt = now();
    } catch (error) {
      report(error);
      failedAt = now();
    }
  };
  const refresh = async () => {
    if (now() - failedAt < COOLDOWN_MS) return;
    // Deferred, so that callers who break off their requests cannot keep the keys from being fetched. The runtime may
    // still drop a fetch: then another is started when it is over time.
    if (fetching === undefined || now() - fetching.since > TIMEOUT_MS + 1_000) {
      const done = fetchKeys().finally(() => {
        if (fetching?.done === done) fetching = undefined;
      });
      fetching = { since: now(), done };
      defer(done);
    }
    await atMost(fetching.done, TIMEOUT_MS);
  };

  const find: JWTVerifyGetKey = async (header, token) => {
    if (keys === undefined || now() - fetchedAt > STALE_MS) throw new ProviderDown();
    try {
      return await keys(header, token);
    } catch (error) {
      // A malformed key is the provider's fault, not the token's.
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
      // The provider could not be reached, so the key may exist by now.
      if (now() - fetchedAt > REFRESH_COOLDOWN_MS) throw new ProviderDown();
      return find(header, token);
    }
  };
}
