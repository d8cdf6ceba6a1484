/**
 * Who is calling: looks at every credential that a request carries and makes a principal of them, or says why not.
 * Decides nothing about tools.
 */
import type { Principal } from "../core/definition.ts";
import type { Soon } from "../core/soon.ts";
import { ProviderDown } from "./jwks.ts";
import type { Tokens } from "./jwt.ts";
import { isKey, type Keyring } from "./keys.ts";
import { originOf, resourcesOf } from "./resource.ts";
import type { SignIn } from "./sign-in.ts";

/** A request, and its headers: each look at `request.headers` crosses into the runtime, so it is taken once. */
export interface Asked {
  readonly request: Request;
  readonly headers: Headers;
}

export interface Access {
  /** Whom a request without credential comes from; undefined where it is turned away. */
  readonly stranger: ((headers: Headers) => Principal) | undefined;
  readonly keys: Keyring;
  readonly tokens: Tokens | undefined;
  readonly signIn: SignIn | undefined;
  /** Told of what went wrong on our side. */
  readonly report: (error: unknown) => void;
}

export type Admission =
  | { readonly principal: Principal }
  | { readonly refused: "no credential" | "bad credential" | "too large" | "unavailable" };

/** Longer than any token that we can check. */
const MAX_CREDENTIAL = 8_192;
/** RFC 6750, section 2.1; the colon is of this Worker's own sign-in. Two headers arrive as one with a comma: refused. */
const BEARER = /^Bearer +([\w\-.~+/:]+=*) *$/i;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const SIGNED_IN = /^[^:]+:[^:]+:[^:]+$/;

const NOBODY: Admission = { refused: "no credential" };
const BAD: Admission = { refused: "bad credential" };

/** @param toolkit folder name in the path that was asked for */
export function authenticate(
  { request, headers }: Asked,
  toolkit: string | undefined,
  access: Access,
): Soon<Admission> {
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
  if (access.stranger && !shown.concat(bearer ?? []).some((text) => isOurs(text, access))) {
    return asStranger(headers, access);
  }
  if ((authorization?.length ?? 0) > MAX_CREDENTIAL || shown.some((key) => key.length > MAX_CREDENTIAL)) {
    return { refused: "too large" };
  }
  if (shown.some((key) => !isKey(key)) || (authorization !== undefined && bearer === undefined)) return BAD;
  if (bearer !== undefined) shown.push(bearer);
  const [credential, ...others] = shown;
  // Gateway seed, "Authentication": two credentials that differ are none.
  if (credential === undefined || others.some((other) => other !== credential)) return BAD;
  try {
    const found = look(credential, request, toolkit, access);
    if (found instanceof Promise) return found.then(admit, (error) => away(error, access));
    return admit(found);
  } catch (error) {
    return away(error, access);
  }
}

function look(credential: string, request: Request, toolkit: string | undefined, access: Access) {
  if (isKey(credential)) return access.keys.find(credential);
  const origin = originOf(request.url);
  const resources = resourcesOf(origin, toolkit);
  if (JWT.test(credential)) return access.tokens?.find(credential, resources);
  return SIGNED_IN.test(credential) ? signedIn(credential, origin, resources, access) : undefined;
}

/** Whoever signed in with a key is that key's principal, with as many of its scopes as were granted. */
async function signedIn(token: string, origin: string, resources: readonly string[], { signIn, keys }: Access) {
  const signed = await signIn?.check(token, origin, resources);
  if (signed === undefined) return undefined;
  const owner = await keys.findById(signed.keyId);
  if (owner === undefined) return undefined;
  const scopes = owner.scopes === "all" ? signed.scopes : signed.scopes.filter((one) => owner.scopes.includes(one));
  return Object.freeze({ ...owner, scopes, reach: owner.scopes });
}

function isOurs(text: string, { tokens, signIn }: Access): boolean {
  return isKey(text) || (tokens !== undefined && JWT.test(text)) || (signIn !== undefined && SIGNED_IN.test(text));
}

function asStranger(headers: Headers, { stranger }: Access): Admission {
  return stranger ? { principal: stranger(headers) } : NOBODY;
}

function admit(principal: Principal | undefined): Admission {
  return principal ? { principal } : BAD;
}

/** A store or a provider that is away opens nothing. */
function away(error: unknown, { report }: Access): Admission {
  if (!(error instanceof ProviderDown)) report(error);
  return { refused: "unavailable" };
}
