/**
 * Verifies JSON Web Tokens of two separate kinds: HS256 with a secret that caller and deployment share (OXP 1.0,
 * "Server Authentication"), and RS256, ES256 or EdDSA with the published keys of an identity provider. Each kind of key
 * has its own list of allowed algorithms, so a token's header cannot choose the kind of key (RFC 8725, 3.1 and 3.2).
 */
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from "jose";
import { JOSEError, JWTClaimValidationFailed } from "jose/errors";
import { type CreateTokenVerifier, ProviderDown, type Rejected, type TokenSettings } from "../../access/tokens.ts";
import { TtlCache } from "../../access/ttl-cache.ts";
import { sha256 } from "../../core/crypto/digest.ts";
import type { Log } from "../../core/lib/log.ts";
import { PARTITION, type Principal } from "../../core/model/principal.ts";
import { publishedKeys } from "./jwks.ts";

/** A verified token, before its audience is checked. */
interface Verified {
  readonly principal: Principal;
  /**
   * Undefined if the token has no `aud`. OXP's tokens may omit it; an identity provider's may not (RFC 8707; MCP,
   * "Token Handling").
   */
  readonly audience: readonly unknown[] | undefined;
}

/** Minimum length of a shared secret, in bytes (RFC 7518, 3.2). */
const MIN_SECRET_BYTES = 32;
const ASYMMETRIC = ["RS256", "ES256", "EdDSA", "Ed25519"];
const TYPES = ["jwt", "at+jwt", "application/at+jwt"];
/** Clock skew allowed between issuer and Worker, in seconds: applies to `exp`, `nbf` and `iat`. */
const TOLERANCE_S = 30;
/** Longest time to `exp` of a shared-secret token. OXP 1.0: a server "SHOULD enforce a short life". */
const MAX_LIFE_S = 3_600;
/** How long a verified token is cached, unless it expires sooner. */
const CACHE_MS = 300_000;
/** A token with more scopes and audiences is verified each time: a thousand cached ones with 2,000 each take 90 MB. */
const MAX_CACHED_NAMES = 200;

export const createTokenVerifier: CreateTokenVerifier = ({ settings, send, now, log, defer, report }) => {
  warn(settings, log);
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
      // The operator's mistake, which was logged at startup. No token can be valid until it is fixed.
      if (key.length < MIN_SECRET_BYTES) return { why: "JWT_SECRET is too short" };
      ({ payload } = await jwtVerify(token, key, { ...options, algorithms: ["HS256"], requiredClaims: ["exp"] }));
      if ((payload.exp as number) > now() / 1_000 + MAX_LIFE_S + TOLERANCE_S) {
        return { why: "token is valid for more than an hour" };
      }
    } else {
      const { issuer, jwksUrl } = settings;
      if (jwksUrl === undefined || issuer === undefined) {
        return { why: "identity provider's token, but JWT_ISSUER is not set" };
      }
      published ??= publishedKeys(jwksUrl, { send, now, defer, report });
      const requiredClaims = ["exp", "sub", "aud"];
      try {
        ({ payload } = await jwtVerify(token, published, {
          ...options,
          issuer,
          algorithms: ASYMMETRIC,
          requiredClaims,
        }));
      } catch (error) {
        // jose throws it for a key of the provider that is too short. The provider's other tokens are still valid.
        if (error instanceof TypeError) return UNUSABLE_KEY;
        throw error;
      }
    }
    if ((payload.iat ?? 0) > now() / 1_000 + TOLERANCE_S) return NOT_YET;
    // jose only checks that `sub` is present. All tokens with null or "" would be one subject.
    if (payload.sub !== undefined && (typeof payload.sub !== "string" || payload.sub === "")) {
      return { why: "token with an invalid sub" };
    }
    const verified = {
      principal: await principalOf(payload, !isShared),
      audience: payload.aud === undefined ? undefined : [payload.aud].flat(),
    };
    if (scopesOf(payload).length + (verified.audience?.length ?? 0) <= MAX_CACHED_NAMES)
      recent.set(token, verified, Math.min(now() + CACHE_MS, (payload.exp as number) * 1_000));
    return verified;
  };

  const checkAudience = ({ principal, audience }: Verified, resources: readonly string[]): Principal | Rejected => {
    if (audience === undefined) return principal;
    const accepted: readonly unknown[] = settings.audience === undefined ? resources : [settings.audience];
    const isAccepted = (uri: unknown) =>
      typeof uri === "string" && (accepted.includes(uri) || accepted.includes(canonical(uri)));
    return audience.some(isAccepted) ? principal : OTHER_AUDIENCE;
  };

  return {
    find(token, resources) {
      const known = recent.get(token);
      if (known) return checkAudience(known, resources);
      return verify(token).then(
        (verified) => ("why" in verified ? verified : checkAudience(verified, resources)),
        (error) => {
          if (error instanceof ProviderDown || !(error instanceof JOSEError)) throw error;
          return rejected(error);
        },
      );
    },
  };
};

/** Logs settings with which no token can be valid. */
function warn({ secret, issuer, jwksUrl }: TokenSettings, log: Log): void {
  if (Boolean(issuer) !== Boolean(jwksUrl)) {
    log({ level: "error", message: "Set both JWT_ISSUER and JWT_JWKS_URL, or neither: tokens are refused" });
  }
  const bytes = new TextEncoder().encode(secret).length;
  if (secret && bytes < MIN_SECRET_BYTES) {
    const effect = "tokens signed with it are refused";
    const problem = `JWT_SECRET has ${bytes} bytes and needs ${MIN_SECRET_BYTES} or more: ${effect}`;
    const fix = "Make one with: openssl rand -base64 32, and set it with: npx wrangler secret put JWT_SECRET";
    log({ level: "error", message: `${problem}. ${fix}` });
  }
}

const MALFORMED: Rejected = { why: "malformed token" };
const NOT_YET: Rejected = { why: "token is not valid yet" };
const UNUSABLE_KEY: Rejected = { why: "token of a signing key that cannot be used" };
const OTHER_AUDIENCE: Rejected = { why: "token for another audience" };
const REASONS: Readonly<Record<string, Rejected>> = {
  ERR_JWT_EXPIRED: { why: "expired token" },
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: { why: "token with a wrong signature" },
  ERR_JWKS_NO_MATCHING_KEY: { why: "token of an unknown signing key" },
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: { why: "token without a kid that matches several signing keys" },
  ERR_JOSE_ALG_NOT_ALLOWED: { why: "token with an algorithm that is not allowed" },
};

/** Why a token failed verification. Names the claim, but never its value. */
function rejected(error: JOSEError): Rejected {
  if (!(error instanceof JWTClaimValidationFailed)) return REASONS[error.code] ?? MALFORMED;
  const { claim, reason } = error;
  if (reason === "missing") return { why: `token without ${claim}` };
  if (reason === "invalid") return { why: `token with an invalid ${claim}` };
  return claim === "iss" ? { why: "token of another issuer" } : NOT_YET;
}

/** @returns undefined if the token has no valid header: any text with two dots in it gets here */
function headerOf(token: string): Record<string, unknown> | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

/**
 * The principal of a token. Its id is a hash of issuer and subject: bounded in length, and free of personal data. The
 * hash includes the kind of token, because a holder of the shared secret can sign any issuer and must not become one of
 * the identity provider's subjects.
 */
async function principalOf(payload: JWTPayload, ofProvider: boolean): Promise<Principal> {
  const who = [ofProvider ? "provider" : "shared", payload.iss ?? null, payload.sub ?? null];
  const id = `jwt:${(await sha256(JSON.stringify(who))).slice(0, 32)}`;
  const scopes = scopesOf(payload);
  // All tokens without a subject share one id, and nothing tells their callers apart.
  const shares = payload.sub === undefined && { [PARTITION]: () => id };
  return Object.freeze({ id, scopes, reach: ofProvider ? "all" : scopes, ...shares });
}

/** Reads `scope` (RFC 8693, section 4.2) or `scp`, which some providers use. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp;
  if (typeof given === "string") return given.split(" ").filter((one) => one !== "");
  return Array.isArray(given) ? given.filter((one) => typeof one === "string") : [];
}

/** Lower-case scheme and host, no trailing slash (MCP, basic/authorization, Canonical Server URI). */
function canonical(uri: string): string {
  return (URL.parse(uri)?.href ?? uri).replace(/\/$/, "");
}
