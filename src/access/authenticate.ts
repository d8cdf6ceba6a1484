/**
 * Authenticates a request: turns its credentials into a principal, or says why they are refused. Decides nothing about
 * tools.
 */
import { isInside } from "../core/lib/guarded-fetch.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { GRANT, type Principal } from "../core/model/principal.ts";
import type { Failures } from "./failures.ts";
import { isKey, type Keyring, keyIdOf } from "./keys.ts";
import { originOf, resourcesOf } from "./protected-resource.ts";
import type { SignIn } from "./sign-in.ts";
import { ProviderDown, type Rejected, type Tokens } from "./tokens.ts";

/** A request and its headers. `request.headers` is read once, because each read crosses into the runtime. */
export interface IncomingRequest {
  readonly request: Request;
  readonly headers: Headers;
}

export interface Access {
  /** The principal of a request without a credential; undefined if such requests are refused. */
  readonly anonymous: ((headers: Headers) => Principal) | undefined;
  readonly keys: Keyring;
  readonly tokens: Tokens | undefined;
  readonly signIn: SignIn | undefined;
  readonly failures: Failures;
  /** Logs an error on our side, such as a store that cannot be reached. */
  readonly report: (error: unknown) => void;
}

export type Admission = { readonly principal: Principal } | Refused;

/** Why a request was refused. `why` and `key` (the id of an API key) are for the operator's log. */
export interface Refused {
  readonly refused: "no credential" | "bad credential" | "exposed" | "too many failures" | "too large" | "unavailable";
  readonly why?: string;
  readonly key?: string | undefined;
}

/** Most characters of a credential. Longer than any token that we can check. */
const MAX_CREDENTIAL = 8_192;
/**
 * RFC 6750, section 2.1, plus the colon in tokens of the Worker's own sign-in. Two headers arrive as one, joined by a
 * comma, which does not match.
 */
const BEARER = /^Bearer +([\w\-.~+/:]+=*) *$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const SIGNED_IN = /^[^:]+:[^:]+:[^:]+$/;

/** URLs with which nobody else can read the credential. Tested first, to avoid parsing the URL. */
const SAFE_URL = /^(https:|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/])/;

/**
 * Loopback, unique local and link-local addresses. isInside() is too broad here: it lists what tools must not fetch,
 * which includes IPv6 addresses that wrap a (possibly public) IPv4 address.
 */
const PRIVATE_V6 = /^\[(::1\]|f[cd]..:|fe[89ab].:)/;

const NOBODY: Admission = { refused: "no credential" };
const TOO_MANY: Admission = { refused: "too many failures" };
const UNRECOGNIZED: Admission = { refused: "bad credential", why: "not in the form of a key or a token" };

/**
 * Returns a promise only if the credential has to be looked up or verified.
 *
 * @param toolkit the toolkit's folder name in the request's path, if the path has one
 */
export function authenticate(
  { request, headers }: IncomingRequest,
  toolkit: string | undefined,
  access: Access,
): MaybePromise<Admission> {
  const authorization = headers.get("authorization") || undefined;
  // OXP 1.0, "Server Authentication"; X-Agent-API-Key is an alias.
  const oxpKey = headers.get("oxp-api-key");
  const agentKey = headers.get("x-agent-api-key");
  if (authorization === undefined && !oxpKey && !agentKey) return asAnonymous(headers, access);
  const credentials: string[] = [];
  if (oxpKey) credentials.push(oxpKey);
  if (agentKey) credentials.push(agentKey);
  const bearer = authorization && BEARER.exec(authorization)?.[1];
  // OXP 1.0: a server without authentication ignores the header. A credential in one of our own forms is still checked.
  if (access.anonymous && !credentials.concat(bearer ?? authorization ?? []).some((text) => isOurs(text, access))) {
    return asAnonymous(headers, access);
  }
  // RFC 6750, section 5.3, and OAuth 2.1, section 1.5: credentials need TLS, except within a machine or a private
  // network. Checked before anything else: an eavesdropper has the credential now, even if it is malformed.
  if (!SAFE_URL.test(request.url) && isExposed(new URL(request.url)))
    return exposed([...credentials, bearer ?? authorization]);
  if ((authorization?.length ?? 0) > MAX_CREDENTIAL || credentials.some((key) => key.length > MAX_CREDENTIAL)) {
    return { refused: "too large" };
  }
  if (credentials.some((key) => !isKey(key)) || (authorization !== undefined && bearer === undefined)) {
    return UNRECOGNIZED;
  }
  if (bearer !== undefined) credentials.push(bearer);
  const [credential, ...others] = credentials;
  if (credential === undefined) return UNRECOGNIZED;
  // A request may repeat one credential in several headers, but may not send different ones.
  if (others.some((other) => other !== credential)) return bad("two credentials that differ");
  const isBlocked = access.failures.blocks(headers, credential);
  // A token is checked by its signature, which needs no store, so honest callers at a blocked address can use theirs.
  if (isBlocked && !(access.tokens && JWT.test(credential))) return TOO_MANY;
  try {
    const found = lookUp(credential, request, toolkit, access);
    if (!(found instanceof Promise)) return admit(found, credential, access);
    return found.then(
      (found) => {
        const admission = admitAndRemember(found, credential, access);
        return isBlocked && "refused" in admission ? TOO_MANY : admission;
      },
      (error) => unavailable(error, access),
    );
  } catch (error) {
    return unavailable(error, access);
  }
}

function exposed(credentials: readonly (string | undefined)[]): Refused {
  return { refused: "exposed", key: credentials.map((text) => text && keyIdOf(text)).find((id) => id !== undefined) };
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

/** A user who signed in with a key is that key's principal, with the granted scopes that the key has. */
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

function asAnonymous(headers: Headers, { anonymous }: Access): Admission {
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

/** Remembers a looked-up credential if it is valid, so that it works even from a blocked address (failures.ts). */
function admitAndRemember(found: Found, credential: string, access: Access): Admission {
  const admission = admit(found, credential, access);
  if ("principal" in admission) access.failures.remember(credential);
  return admission;
}

/** Fails closed: if a store or an identity provider cannot be reached, no credential is accepted. */
function unavailable(error: unknown, { report }: Access): Admission {
  if (!(error instanceof ProviderDown)) report(error);
  return { refused: "unavailable" };
}
