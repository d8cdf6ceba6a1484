/**
 * The interface of the Worker's own sign-in (OAuth). The implementation is src/features/sign-in, which is bundled only
 * if wrangler.toml turns it on.
 */
import type { Catalog } from "../core/catalog/catalog.ts";
import type { Log } from "../core/lib/log.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import type { Keyring } from "./keys.ts";
import { TtlCache } from "./ttl-cache.ts";

export interface SignInDependencies extends Pick<Runtime, "idempotency" | "signer" | "defer"> {
  readonly kv: KVNamespace;
  readonly keys: Keyring;
  readonly catalog: Catalog;
  /** Scopes that clients request when they first connect. */
  readonly baseScopes: readonly string[];
  readonly serverName: string;
  /** Limits requests without a credential; undefined for no limit. */
  readonly rateLimit?: ((perMinute: number, key: string) => Promise<boolean>) | undefined;
  readonly log: Log;
}

export interface SignedIn {
  /** Id of the API key that the user signed in with. */
  readonly keyId: string;
  /** Id of the grant: each sign-in has its own, so it tells apart users of the same key. */
  readonly grant: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expires: number | undefined;
}

export interface SignIn {
  /** Serves the endpoints of the authorization server; returns undefined for any other path. */
  fetch(request: Request): Promise<Response> | undefined;
  /**
   * Checks an access token.
   *
   * @param origin of the request
   * @param resources the URIs that a token for this request may have been issued for, the most specific first
   * @returns undefined if the token is unknown, expired or revoked, or was issued for none of these URIs
   */
  check(token: string, origin: string, resources: readonly string[]): Promise<SignedIn | undefined>;
}

/** The same as for keys (keys.ts), so that a revoked token is refused as soon as a revoked key. */
const CACHE_MS = 30_000;

/**
 * Caches the results of `check` for half a minute.
 *
 * @param now milliseconds since 1970
 */
export function withCache(signIn: SignIn, now: () => number): SignIn {
  const recent = new TtlCache<SignedIn>(now);
  return {
    fetch: (request) => signIn.fetch(request),
    async check(token, origin, resources) {
      const name = `${resources[0]} ${token}`;
      const known = recent.get(name);
      if (known) return known;
      const signed = await signIn.check(token, origin, resources);
      const until = now() + CACHE_MS;
      if (signed) recent.set(name, signed, Math.min(until, (signed.expires ?? Number.POSITIVE_INFINITY) * 1_000));
      return signed;
    },
  };
}

/** Log message for a deployment in which SIGN_IN was not set at build time, so that the sign-in was not bundled. */
export const SIGN_IN_IS_OFF =
  'SIGN_IN is "true", but this deployment was built without the sign-in: set it under vars in the settings file and deploy again';

export type CreateSignIn = (dependencies: SignInDependencies) => SignIn;
