/**
 * Who is calling: looks at every credential that a request carries and makes a principal of them, or says why not.
 * Decides nothing about tools.
 */
import { isInside } from "../core/lib/egress.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal } from "../core/model/principal.ts";
import { GRANT } from "../core/model/principal.ts";
import type { Failures } from "./failures.ts";
import { ProviderDown } from "./jwks.ts";
import type { Rejected, Tokens } from "./jwt.ts";
import { isKey, type Keyring, keyIdOf } from "./keys.ts";
import { originOf, resourcesOf } from "./protected-resource.ts";
import type { SignIn } from "./sign-in.ts";

/** A request, and its headers: each look at `request.headers` crosses into the runtime, so it is taken once. */
export interface IncomingRequest {
  readonly request: Request;
  readonly headers: Headers;
}

export interface Access {
  /** Whom a request without credential comes from; undefined where it is turned away. */
  readonly anonymous: ((headers: Headers) => Principal) | undefined;
  readonly keys: Keyring;
  readonly tokens: Tokens | undefined;
  readonly signIn: SignIn | undefined;
  readonly failures: Failures;
  /** Told of what went wrong on our side. */
  readonly report: (error: unknown) => void;
}

export type Admission = { readonly principal: Principal } | Refused;

/** Why a request was turned away. `why` and `key` (the id of an API key) are for the operator's log. */
export interface Refused {
  readonly refused: "no credential" | "bad credential" | "exposed" | "too many failures" | "too large" | "unavailable";
  readonly why?: string;
  readonly key?: string | undefined;
}

/** Longer than any token that we can check. */
const MAX_CREDENTIAL = 8_192;
/**
 * RFC 6750, section 2.1; the colon is of this Worker's own sign-in. Two headers arrive as one with a comma: refused.
 */
const BEARER = /^Bearer +([\w\-.~+/:]+=*) *$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const SIGNED_IN = /^[^:]+:[^:]+:[^:]+$/;

/** URLs on which nobody else can read the credential; tested first to spare parsing. */
const SAFE_URL = /^(https:|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/])/;

/**
 * Loopback, unique local, link-local. isInside() takes for inside what tools must not fetch, and that is more: IPv6
 * addresses that wrap an IPv4 address, which may be a public one.
 */
const PRIVATE_V6 = /^\[(::1\]|f[cd]..:|fe[89ab].:)/;

const NOBODY: Admission = { refused: "no credential" };
const UNRECOGNIZED: Admission = { refused: "bad credential", why: "neither key nor token by its looks" };

/** @param toolkit folder name in the path that was asked for */
export function authenticate(
  { request, headers }: IncomingRequest,
  toolkit: string | undefined,
  access: Access,
): MaybePromise<Admission> {
  const authorization = headers.get("authorization") || undefined;
  // OXP, "Server Authentication"; gateway seed, "Authentication".
  const oxpKey = headers.get("oxp-api-key");
  const agentKey = headers.get("x-agent-api-key");
  if (authorization === undefined && !oxpKey && !agentKey) return asStranger(headers, access);
  const shown: string[] = [];
  if (oxpKey) shown.push(oxpKey);
  if (agentKey) shown.push(agentKey);
  const bearer = authorization && BEARER.exec(authorization)?.[1];
  // OXP: a server without authentication ignores the header. What is plainly meant for us is still looked at.
  if (access.anonymous && !shown.concat(bearer ?? authorization ?? []).some((text) => isOurs(text, access))) {
    return asStranger(headers, access);
  }
  // RFC 6750, section 5.3, and OAuth 2.1, section 1.5: never without TLS, but within a machine or a network. Before all
  // else that may be wrong with it: whoever reads along has it, however it was written.
  if (!SAFE_URL.test(request.url) && isExposed(new URL(request.url)))
    return exposed([...shown, bearer ?? authorization]);
  if ((authorization?.length ?? 0) > MAX_CREDENTIAL || shown.some((key) => key.length > MAX_CREDENTIAL)) {
    return { refused: "too large" };
  }
  if (shown.some((key) => !isKey(key)) || (authorization !== undefined && bearer === undefined)) return UNRECOGNIZED;
  if (bearer !== undefined) shown.push(bearer);
  const [credential, ...others] = shown;
  if (credential === undefined) return UNRECOGNIZED;
  // Gateway seed, "Authentication": two credentials that differ are none.
  if (others.some((other) => other !== credential)) return bad("two credentials that differ");
  if (access.failures.shutsOut(headers, credential)) return { refused: "too many failures" };
  try {
    const found = lookUp(credential, request, toolkit, access);
    if (!(found instanceof Promise)) return admit(found, credential, access);
    return found.then(
      (found) => admitAndRemember(found, credential, access),
      (error) => away(error, access),
    );
  } catch (error) {
    return away(error, access);
  }
}

function exposed(shown: readonly (string | undefined)[]): Refused {
  return { refused: "exposed", key: shown.map((text) => text && keyIdOf(text)).find((id) => id !== undefined) };
}

function isExposed(url: URL): boolean {
  const { protocol, hostname } = url;
  return protocol === "http:" && !(hostname.startsWith("[") ? PRIVATE_V6.test(hostname) : isInside(url));
}

type Found = Principal | Rejected | undefined;

function lookUp(
  credential: string,
  request: Request,
  toolkit: string | undefined,
  access: Access,
): MaybePromise<Found> {
  if (isKey(credential)) return access.keys.find(credential);
  const origin = originOf(request.url);
  const resources = resourcesOf(origin, toolkit);
  if (JWT.test(credential)) return access.tokens?.find(credential, resources) ?? NOT_SET_UP;
  if (!SIGNED_IN.test(credential)) return undefined;
  return access.signIn ? signedIn(credential, origin, resources, access.signIn, access.keys) : NOT_SET_UP;
}

const NOT_SET_UP: Rejected = { why: "credential of a kind that is not set up here" };

/** Whoever signed in with a key is that key's principal, with as many of its scopes as were granted. */
async function signedIn(
  token: string,
  origin: string,
  resources: readonly string[],
  signIn: SignIn,
  keys: Keyring,
): Promise<Found> {
  const signed = await signIn.check(token, origin, resources);
  if (signed === undefined) return { why: "unknown, expired or revoked sign-in token, or one for another audience" };
  const owner = await keys.findById(signed.keyId);
  if (owner === undefined) return { why: "sign-in token of a key that is revoked or expired" };
  const scopes = owner.scopes === "all" ? signed.scopes : signed.scopes.filter((one) => owner.scopes.includes(one));
  return Object.freeze({ ...owner, scopes, reach: owner.scopes, [GRANT]: signed.grant });
}

function isOurs(text: string, { tokens, signIn }: Access): boolean {
  return isKey(text) || (tokens !== undefined && JWT.test(text)) || (signIn !== undefined && SIGNED_IN.test(text));
}

function asStranger(headers: Headers, { anonymous }: Access): Admission {
  return anonymous ? { principal: anonymous(headers) } : NOBODY;
}

function bad(why: string): Refused {
  return { refused: "bad credential", why };
}

function admit(found: Found, credential: string, { keys }: Access): Admission {
  if (found === undefined)
    return isKey(credential) ? { refused: "bad credential", ...keys.whyNot(credential) } : UNRECOGNIZED;
  return "why" in found ? bad(found.why) : { principal: found };
}

/** A credential that had to be looked up is remembered if it is valid (failures.ts). */
function admitAndRemember(found: Found, credential: string, access: Access): Admission {
  const admission = admit(found, credential, access);
  if ("principal" in admission) access.failures.found(credential);
  return admission;
}

/** A store or a provider that cannot be reached opens nothing. */
function away(error: unknown, { report }: Access): Admission {
  if (!(error instanceof ProviderDown)) report(error);
  return { refused: "unavailable" };
}
