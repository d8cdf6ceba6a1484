/**
 * The authorization endpoint: asks a person for an API key, shows what the app would get, and sends the answer back.
 *
 * What is known between two pages stands in a record on KV under a random handle, sealed with it, bound to the browser
 * by a cookie, good for ten minutes and once: each page has its own, so that none is written twice or read before it is
 * written, and KV's delay between locations matters only for a page that is sent again from elsewhere. The library
 * keeps such records for a sign-in with another provider; here, the other provider is our page. The key itself is in
 * none of them, nor in a page or an address.
 */
import {
  AuthorizationError,
  type AuthRequest,
  authorizationErrorRedirect,
  CimdFetchError,
} from "@cloudflare/workers-oauth-provider";
import type { SignInParts } from "../access/sign-in.ts";
import { describeError } from "../core/lib/log.ts";
import type { Principal } from "../core/model/principal.ts";
import { readText } from "./body.ts";
import { shown } from "./html.ts";
import { type OAuth, supportedScopes } from "./oauth.ts";
import { offerOf } from "./offer.ts";
import { consentPage, endPage, type Form, keyPage, linkBackPage, type Trouble, type Who } from "./page.ts";

/** What is known between two pages, beside the client's request. */
interface Progress {
  readonly who: Who;
  /** How many invalid keys were given. */
  readonly wrong: number;
  /** Of the key that was given: with it, the question is what it shall grant. */
  readonly keyId?: string;
}

interface Step extends Progress {
  readonly request: AuthRequest;
  readonly headers: Headers;
  /** Of the address, as the client made it: a page that is out of date starts again from there. */
  readonly query: string;
}

const NOT_VALID: Trouble = { status: 403, message: "This key is not valid here." };
const NOTHING_TO_OPEN: Trouble = { status: 403, message: "This key does not open what the app asks for." };
const STALE: Trouble = { status: 400, message: "That page was out of date. Start again here." };
const CANNOT_CONNECT = "This app cannot connect";
const MAX_WRONG = 5;
const MAX_FORM = 16_384;
/** An S256 challenge is a hash (RFC 7636, section 4.2). */
const CHALLENGE = /^[\w-]{43}$/;
const KEY_PRINCIPAL = /^key:([0-9a-z]{16})$/;

export async function authorize(request: Request, oauth: OAuth, parts: SignInParts): Promise<Response> {
  try {
    if (request.method !== "GET" && request.method !== "POST") return notAllowed();
    if (!(await oauth.isWithin(request, "sign-in"))) return tooMany();
    return await (request.method === "GET" ? begin(request, oauth, parts) : proceed(request, oauth, parts));
  } catch (error) {
    if (error instanceof AuthorizationError) {
      const { description, redirectTo } = error;
      return redirectTo ? clientError(description, redirectTo) : endPage(400, CANNOT_CONNECT, `${description}.`);
    }
    if (error instanceof CimdFetchError || isGoneRedirect(error)) {
      return endPage(400, CANNOT_CONNECT, "Its client metadata could not be fetched or is not valid.");
    }
    parts.log({ level: "error", message: "sign-in failed", error: describeError(error) });
    return endPage(500, "Something went wrong", "It is not your doing. Start again from the app in a moment.");
  }
}

/** The library's word for a client that publishes other redirect URIs, once its person has decided, than before. */
function isGoneRedirect(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Invalid redirect URI");
}

async function begin(asked: Request, oauth: OAuth, parts: SignInParts, trouble?: Trouble): Promise<Response> {
  const url = new URL(asked.url);
  const query = url.search;
  oauth.hideUnknownToolkit(url.searchParams);
  const request = await oauth.helpers.parseAuthRequest(new Request(url));
  // OAuth 2.1, section 7.5: of every client; the library exempts those with a secret.
  if (!CHALLENGE.test(request.codeChallenge ?? "")) {
    const description = "PKCE with S256 is required";
    return clientError(description, authorizationErrorRedirect(request, "invalid_request", description));
  }
  const { clientName, clientId, clientDomain, redirectHost, redirectIsLoopback } =
    await oauth.helpers.describeConsent(request);
  const who: Who = {
    name: clientName === clientId || shown(clientName) === "" ? "An app without a name" : clientName,
    domain: clientDomain,
    host: redirectHost,
    loopback: redirectIsLoopback,
  };
  // As they were asked for, whether or not there are such: who has no key cannot tell which scopes there are.
  const scope = request.scope.length > 0 ? [...new Set(request.scope)] : [...parts.baseScopes];
  const step = { request: { ...request, scope }, who, wrong: 0, headers: new Headers(), query };
  return askForKey(step, oauth, parts, trouble);
}

async function proceed(sent: Request, oauth: OAuth, parts: SignInParts): Promise<Response> {
  const text = await readText(sent, MAX_FORM);
  if (text === undefined) return endPage(413, "Too large", "Start again from the app.");
  const form = new URLSearchParams(text);
  const kept = await take(form.get("handle") ?? "", sent, oauth);
  // Open for too long, sent twice by a double click, or gone back to: nothing is lost that cannot be asked for again.
  if (kept === undefined) return begin(sent, oauth, parts, STALE);
  const step: Step = { ...kept.data, request: kept.request, headers: kept.headers, query: new URL(sent.url).search };
  return step.keyId === undefined
    ? takeKey((form.get("key") ?? "").trim(), step, oauth, parts)
    : decide(step.keyId, form, step, oauth, parts);
}

async function askForKey(step: Step, oauth: OAuth, parts: SignInParts, trouble?: Trouble): Promise<Response> {
  const { request, who } = step;
  const cancel = authorizationErrorRedirect(request, "access_denied");
  return keyPage(parts.serverName, who, request.scope, await keep(step, oauth), cancel, trouble);
}

async function takeKey(text: string, step: Step, oauth: OAuth, parts: SignInParts): Promise<Response> {
  const { request, who, headers } = step;
  const principal = await parts.keys.find(text);
  const keyId = KEY_PRINCIPAL.exec(principal?.id ?? "")?.[1];
  const offer = principal && offered(principal, request, oauth, parts);
  if (keyId === undefined || offer === undefined) {
    const wrong = step.wrong + 1;
    const why = principal ? { why: "key that does not open what the app asks for" } : parts.keys.whyNot(text);
    parts.log({ level: "warning", message: "sign-in key refused", wrong, ...why });
    if (wrong >= MAX_WRONG) return endPage(403, "Too many tries", "Start again from the app.", headers);
    // One sentence for whatever is wrong with it: unknown, expired, revoked. A toolkit that a key does not open is to
    // its owner as one that does not exist.
    return askForKey({ ...step, wrong }, oauth, parts, principal ? NOTHING_TO_OPEN : NOT_VALID);
  }
  return consentPage(parts.serverName, who, offer, keyId, await keep({ ...step, keyId }, oauth));
}

async function decide(
  keyId: string,
  form: URLSearchParams,
  { request, who, headers }: Step,
  oauth: OAuth,
  parts: SignInParts,
): Promise<Response> {
  if (form.get("decision") !== "allow") {
    const back = authorizationErrorRedirect(request, "access_denied");
    return linkBackPage(200, "Access was not given", "The app got nothing.", back, headers);
  }
  const principal = await parts.keys.findById(keyId);
  const offer = principal && offered(principal, request, oauth, parts);
  if (!offer) return endPage(403, "This key is no longer valid", "Start again from the app.", headers);
  const ticked = form.getAll("scope");
  const scope = offer.scopes.filter((one) => ticked.includes(one));
  const { redirectTo } = await oauth.helpers.completeAuthorization({
    request,
    userId: keyId,
    metadata: {},
    scope,
    props: { keyId },
    // A key may be shared by people who use the same app: one who signs in must not throw the others out.
    revokeExistingGrants: false,
  });
  parts.log({ level: "info", message: "signed in", key: keyId, app: who.domain ?? request.clientId, scope });
  return redirect(redirectTo, headers);
}

/** What a key can grant of what was asked for, and of what there is. */
function offered(principal: Principal, { scope, resource }: AuthRequest, oauth: OAuth, parts: SignInParts) {
  const asked = supportedScopes(parts).filter((one) => scope.includes(one));
  return offerOf(principal, asked, parts.catalog, oauth.toolkitOf(resource));
}

async function keep({ request, headers, query, who, wrong, keyId }: Step, oauth: OAuth): Promise<Form> {
  const data: Progress = { who, wrong, ...(keyId !== undefined && { keyId }) };
  const begun = await oauth.helpers.beginUpstream(request, { data, headers });
  return { query, handle: begun.state, headers: begun.headers };
}

/** @returns undefined for a handle that is not, or no longer, one of this browser's */
async function take(handle: string, { headers }: Request, oauth: OAuth) {
  const address = `${oauth.origin}/authorize?${new URLSearchParams({ state: handle })}`;
  try {
    return await oauth.helpers.finishUpstream<Progress>(
      new Request(address, { headers: { cookie: headers.get("cookie") ?? "" } }),
    );
  } catch (error) {
    if (error instanceof AuthorizationError) return undefined;
    throw error;
  }
}

/**
 * An error of the client's. Nobody vouches for its redirect URI (RFC 9700, section 4.11.2): the user gets a link; only
 * a grant redirects by itself.
 */
function clientError(description: string, back: string): Response {
  return linkBackPage(400, CANNOT_CONNECT, `${description}.`, back);
}

/** RFC 9700, section 4.12: 303, so that no browser sends the form on. */
function redirect(location: string, headers = new Headers()): Response {
  headers.set("location", location);
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "no-referrer");
  return new Response(null, { status: 303, headers });
}

function tooMany(): Response {
  const response = endPage(429, "Too many requests", "Wait a minute, then start again.");
  response.headers.set("retry-after", "60");
  return response;
}

function notAllowed(): Response {
  const response = endPage(405, "Not allowed", "Only GET and POST are served here.");
  response.headers.set("allow", "GET, POST");
  return response;
}
