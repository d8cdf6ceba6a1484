/**
 * JSON Web Tokens, of two kinds that share nothing: HS256 under a secret that caller and deployment share (OXP,
 * "Server Authentication"), and RS256, ES256 or EdDSA under the published keys of an identity provider. A token's
 * header picks among the algorithms that its kind of key allows and never the kind of a key (RFC 8725, 3.1 and 3.2).
 */
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { JOSEError, JWTClaimValidationFailed } from "jose/errors";
import { sha256 } from "../core/lib/digest.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal } from "../core/model/principal.ts";
import { PARTITION } from "../core/model/principal.ts";
import { ProviderDown, publishedKeys } from "./jwks.ts";
import { TtlCache } from "./ttl-cache.ts";

export interface TokenSettings {
  /** The shared secret: {@link LEAST_SECRET} bytes or more. */
  readonly secret?: string | undefined;
  /** The identity provider, as it spells itself in `iss`; with {@link jwksUrl}, or neither. */
  readonly issuer?: string | undefined;
  /** Where it publishes its keys: https, or http on loopback. */
  readonly jwksUrl?: string | undefined;
  /** What `aud` must name; left out, the URL that the request came to. */
  readonly audience?: string | undefined;
}

export interface Tokens {
  /**
   * @param resources URIs that a token for this request may have been issued for
   * @returns the principal, or (for the log) why the token was refused
   * @throws {ProviderDown}
   */
  find(token: string, resources: readonly string[]): MaybePromise<Principal | Rejected>;
}

/** An invalid credential. */
export interface Rejected {
  /** For the operator only: our own words, nothing taken from the credential. */
  readonly why: string;
}

/** What of a verified token counts. */
interface Verified {
  readonly principal: Principal;
  /** Absent where it names none, as OXP's tokens may; an identity provider's must (RFC 8707, MCP "Token Handling"). */
  readonly audience: readonly unknown[] | undefined;
}

/** Bytes that a shared secret must have (RFC 7518, 3.2). */
export const LEAST_SECRET = 32;
const ASYMMETRIC = ["RS256", "ES256", "EdDSA", "Ed25519"];
const TYPES = ["jwt", "at+jwt", "application/at+jwt"];
/** Clock skew allowed between issuer and Worker, in seconds: applies to `exp`, `nbf` and `iat`. */
const TOLERANCE_S = 30;
/** OXP: a server "SHOULD enforce a short life". */
const MAX_LIFE_S = 3_600;
/** What a token was found to be is remembered no longer than this, however long it lives. */
const KNOWN_MS = 300_000;

/**
 * @param send the Worker's fetch: where keys are published is the owner's word, and needs no guard
 * @param now  milliseconds since 1970
 * @param report told when the provider fails
 */
export function tokens(
  settings: TokenSettings,
  send: typeof fetch,
  now: () => number,
  report: (error: unknown) => void,
): Tokens {
  const recent = new TtlCache<Verified>(now);
  let published: ReturnType<typeof publishedKeys> | undefined;

  const verify = async (token: string): Promise<Verified | Rejected> => {
    const header = headerOf(token);
    if (header === undefined) return MALFORMED;
    const { alg, typ } = header;
    if (typ !== undefined && !(typeof typ === "string" && TYPES.includes(typ.toLowerCase()))) {
      return { why: "token of an unknown type" };
    }
    const isShared = alg === "HS256";
    const options = { clockTolerance: TOLERANCE_S, currentDate: new Date(now()) };
    let payload: JWTPayload;
    if (isShared) {
      if (settings.secret === undefined) return { why: "HS256 token, but JWT_SECRET is not set" };
      const key = new TextEncoder().encode(settings.secret);
      // The operator's mistake, which is said at the start (index.ts). For whoever signs, nothing can be valid here.
      if (key.length < LEAST_SECRET) return { why: "JWT_SECRET is too short" };
      ({ payload } = await jwtVerify(token, key, { ...options, algorithms: ["HS256"], requiredClaims: ["exp"] }));
      if ((payload.exp as number) > now() / 1_000 + MAX_LIFE_S + TOLERANCE_S) {
        return { why: "token is valid for more than an hour" };
      }
    } else {
      const { issuer, jwksUrl } = settings;
      if (jwksUrl === undefined || issuer === undefined) {
        return { why: "identity provider's token, but JWT_ISSUER is not set" };
      }
      published ??= publishedKeys(jwksUrl, send, now, report);
      const requiredClaims = ["exp", "sub", "aud"];
      ({ payload } = await jwtVerify(token, published, { ...options, issuer, algorithms: ASYMMETRIC, requiredClaims }));
    }
    if ((payload.iat ?? 0) > now() / 1_000 + TOLERANCE_S) return NOT_YET;
    // jose checks only that `sub` is there: null or "" would make one subject of everyone.
    if (payload.sub !== undefined && (typeof payload.sub !== "string" || payload.sub === "")) {
      return { why: "token with an invalid sub" };
    }
    const verified = {
      principal: await principalOf(payload, !isShared),
      audience: payload.aud === undefined ? undefined : [payload.aud].flat(),
    };
    recent.set(token, verified, Math.min(now() + KNOWN_MS, (payload.exp as number) * 1_000));
    return verified;
  };

  const forHere = ({ principal, audience }: Verified, resources: readonly string[]): Principal | Rejected => {
    if (audience === undefined) return principal;
    const here: readonly unknown[] = settings.audience === undefined ? resources : [settings.audience];
    return audience.some((one) => typeof one === "string" && (here.includes(one) || here.includes(plain(one))))
      ? principal
      : ELSEWHERE;
  };

  return {
    find(token, resources) {
      const known = recent.get(token);
      if (known) return forHere(known, resources);
      return verify(token).then(
        (verified) => ("why" in verified ? verified : forHere(verified, resources)),
        (error) => {
          if (error instanceof ProviderDown || !(error instanceof JOSEError)) throw error;
          return rejected(error);
        },
      );
    },
  };
}

const MALFORMED: Rejected = { why: "malformed token" };
const NOT_YET: Rejected = { why: "token is not valid yet" };
const ELSEWHERE: Rejected = { why: "token for another audience" };
const REASONS: Readonly<Record<string, Rejected>> = {
  ERR_JWT_EXPIRED: { why: "expired token" },
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: { why: "token with a wrong signature" },
  ERR_JWKS_NO_MATCHING_KEY: { why: "token of an unknown signing key" },
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: { why: "token without a kid that matches several signing keys" },
  ERR_JOSE_ALG_NOT_ALLOWED: { why: "token with an algorithm that is not allowed" },
};

/** Why a token was not verified. Names claims that we ask for, and none of what they hold. */
function rejected(error: JOSEError): Rejected {
  if (!(error instanceof JWTClaimValidationFailed)) return REASONS[error.code] ?? MALFORMED;
  const { claim, reason } = error;
  if (reason === "missing") return { why: `token without ${claim}` };
  if (reason === "invalid") return { why: `token with an invalid ${claim}` };
  return claim === "iss" ? { why: "token of another issuer" } : NOT_YET;
}

/** @returns undefined for what is no header: a text of three parts may be anything */
function headerOf(token: string): Record<string, unknown> | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

/**
 * A principal is an (issuer, subject), hashed: bounded in length, and free of addresses and names. Whoever has the
 * shared secret may sign any issuer: that makes nobody one of the identity provider's subjects.
 */
async function principalOf(payload: JWTPayload, ofProvider: boolean): Promise<Principal> {
  const who = [ofProvider ? "provider" : "shared", payload.iss ?? null, payload.sub ?? null];
  const id = `jwt:${(await sha256(JSON.stringify(who))).slice(0, 32)}`;
  const scopes = scopesOf(payload);
  // All who sign tokens without a subject share one id, and nothing tells them apart.
  const shares = payload.sub === undefined && { [PARTITION]: () => id };
  return Object.freeze({ id, scopes, reach: ofProvider ? "all" : scopes, ...shares });
}

/** `scope` as RFC 8693 has it (section 4.2); `scp` as some providers do. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === "string") return given.split(" ").filter((one) => one !== "");
  return Array.isArray(given) ? given.filter((one) => typeof one === "string") : [];
}

/** Scheme and host in small letters, no slash at the end (MCP, basic/authorization, Canonical Server URI). */
function plain(uri: string): string {
  return (URL.parse(uri)?.href ?? uri).replace(/\/$/, "");
}
