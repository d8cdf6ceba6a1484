/**
 * The interface for tokens that others sign (JSON Web Tokens). The implementation is src/features/tokens, which is
 * bundled only if wrangler.toml turns it on.
 */
import type { Log } from "../core/lib/log.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal } from "../core/model/principal.ts";
import type { Runtime } from "../core/ports/runtime.ts";

export interface TokenSettings {
  /** The secret that callers and deployment share, at least 32 bytes. */
  readonly secret?: string | undefined;
  /** The identity provider's `iss`, exactly as it spells it. Set together with {@link jwksUrl}. */
  readonly issuer?: string | undefined;
  /** Where the provider publishes its keys: https, or http on loopback. */
  readonly jwksUrl?: string | undefined;
  /** The required `aud`; by default the URL of the request. */
  readonly audience?: string | undefined;
}

export interface TokenDependencies extends Pick<Runtime, "defer"> {
  readonly settings: TokenSettings;
  /** Fetches the provider's keys. Unguarded, because the URL is the operator's own setting. */
  readonly send: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
  readonly report: (error: unknown) => void;
}

export interface Tokens {
  /**
   * @param resources URIs that a token for this request may have been issued for
   * @returns the principal, or (for the log) why the token was refused
   * @throws {ProviderDown} if the identity provider's keys cannot be fetched
   */
  find(token: string, resources: readonly string[]): MaybePromise<Principal | Rejected>;
}

export interface Rejected {
  /** For the operator's log only. Contains nothing taken from the credential. */
  readonly why: string;
}

/** The identity provider cannot be reached or publishes no usable keys, so its tokens cannot be verified. */
export class ProviderDown extends Error {}

/** Log message for a deployment whose settings for tokens have no effect. */
export const TOKENS_ARE_OFF =
  'Tokens are refused: JWT_SECRET, JWT_ISSUER and JWT_JWKS_URL have no effect unless TOKENS is "true" in the settings file';

export type CreateTokenVerifier = (dependencies: TokenDependencies) => Tokens;
