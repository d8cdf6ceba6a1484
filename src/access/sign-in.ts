/**
 * Signing in with nothing but this Worker, as the rest of it sees that. What does it is src/sign-in; most leave it out.
 */
import type { Catalog } from "../core/catalog/catalog.ts";
import type { Log } from "../core/lib/log.ts";
import type { Keyring } from "./keys.ts";
import { TtlCache } from "./ttl-cache.ts";

/** What it is made of. */
export interface SignInParts {
  readonly kv: KVNamespace;
  readonly keys: Keyring;
  readonly catalog: Catalog;
  /** What a client asks for at first. */
  readonly baseScopes: readonly string[];
  readonly serverName: string;
  /** Counts what anyone may do here without a credential; left out, it is not limited. */
  readonly rateLimit?: ((perMinute: number, key: string) => Promise<boolean>) | undefined;
  readonly log: Log;
}

/** Whom an access token speaks for. */
export interface SignedIn {
  /** Id of the API key that a person signed in with. */
  readonly keyId: string;
  /** Of several who signed in with one key, each has another. */
  readonly grant: string;
  readonly scopes: readonly string[];
  /** Seconds since 1970. */
  readonly expires: number | undefined;
}

export interface SignIn {
  /** Answers the endpoints of an authorization server; undefined for any other path. */
  fetch(request: Request): Promise<Response> | undefined;
  /**
   * @param resources the URIs that a token for this request may have been issued for, the likeliest first
   * @returns undefined for a token that is not (any more) one of its own, or not for any of these
   */
  check(token: string, origin: string, resources: readonly string[]): Promise<SignedIn | undefined>;
}

/** As long as a key is known (keys.ts): a token that was taken back is refused as soon as one. */
const KNOWN_MS = 30_000;

/**
 * The same, asking for each token once in half a minute.
 *
 * @param now milliseconds since 1970
 */
export function remembering(signIn: SignIn, now: () => number): SignIn {
  const recent = new TtlCache<SignedIn>(now);
  return {
    fetch: (request) => signIn.fetch(request),
    async check(token, origin, resources) {
      const name = `${resources[0]} ${token}`;
      const known = recent.get(name);
      if (known) return known;
      const signed = await signIn.check(token, origin, resources);
      const until = now() + KNOWN_MS;
      if (signed) recent.set(name, signed, Math.min(until, (signed.expires ?? Number.POSITIVE_INFINITY) * 1_000));
      return signed;
    },
  };
}

export type CreateSignIn = (parts: SignInParts) => SignIn;
