/**
 * The authorization endpoint: asks the user for an API key, shows what the app would get, and redirects back to the
 * app.
 *
 * Between two pages, the state is a KV record under a random handle. The record is encrypted with the handle, bound to
 * the browser by a cookie, and can be used once within ten minutes. Each page has a new record, so none is written
 * twice or read before it is written; KV's delay between locations matters only if a page is sent again from elsewhere.
 * The library keeps such records for sign-in with an upstream provider; here our own page is the upstream. The API key
 * itself is never in a record, a page or a URL.
 */
import {
  AuthorizationError,
  type AuthRequest,
  authorizationErrorRedirect,
  CimdFetchError,
} from "@cloudflare/workers-oauth-provider";
import type { SignInDependencies } from "../../access/sign-in.ts";
import { describeError } from "../../core/lib/log.ts";
import { readUpTo } from "../../core/lib/read-up-to.ts";
import type { Principal } from "../../core/model/principal.ts";
import { displayName } from "../../http/pages/html.ts";
import { grantableOf } from "./grantable.ts";
import { type OAuth, supportedScopes } from "./oauth.ts";
import { consentPage, endPage, type Form, keyPage, linkBackPage, type Trouble, type Who } from "./page.ts";
import { getsCodes, isOfApp, placeOf } from "./redirects.ts";

/** The state that is kept between two pages, besides the client's request. */
interface Progress {
  readonly who: Who;
  /** How many invalid keys were entered. */
  readonly wrong: number;
  /** Id of the key that was entered. Once it is set, the next page is the consent page. */
  readonly keyId?: string;
}

interface Step extends Progress {
  readonly request: AuthRequest;
  readonly headers: Headers;
  /** The query string of the client's request. A page that is out of date starts over from it. */
  readonly query: string;
}

const NOT_VALID: Trouble = { status: 403, message: "This key is not valid here." };
const NO_ACCESS: Trouble = { status: 403, message: "This key does not give access to what the app asks for." };
const STALE: Trouble = { status: 400, message: "That page was out of date. Start again here." };
const CANNOT_CONNECT = "This app cannot connect";
const MAX_WRONG = 5;
const MAX_FORM = 16_384;
/** How long the form of a page may take to arrive, in milliseconds. */
const BODY_MS = 30_000;
/** An S256 challenge is a hash (RFC 7636, section 4.2). */
const CHALLENGE = /^[\w-]{43}$/;
const KEY_PRINCIPAL = /^key:([0-9a-z]{16})$/;

/**
 * Serves the authorization endpoint (OAuth 2.1, section 4.1.1) and its pages. Every failure is a page; it never throws.
 */
export async function authorize(request: Request, oauth: OAuth, dependencies: SignInDependencies): Promise<Response> {
  try {
    if (request.method !== "GET" && request.method !== "POST") return notAllowed();
    if (!(await oauth.isWithin(request, "sign-in"))) return tooMany();
    return await (request.method === "GET"
      ? begin(request, oauth, dependencies)
      : proceed(request, oauth, dependencies));
  } catch (error) {
    if (error instanceof AuthorizationError) {
      const { description, redirectTo } = error;
      return redirectTo ? clientError(description, redirectTo) : endPage(400, CANNOT_CONNECT, `${description}.`);
    }
    if (error instanceof CimdFetchError || isGoneRedirect(error)) {
      return endPage(400, CANNOT_CONNECT, "Its client metadata could not be fetched or is not valid.");
    }
    if ((error as Error).name === "TimeoutError") return endPage(408, "Too slow", "Start again from the app.");
    dependencies.log({ level: "error", message: "sign-in failed", error: describeError(error) });
    return endPage(500, "Something went wrong", "It is not your fault. Start again from the app in a moment.");
  }
}

/** Recognizes the library's error for a client whose published redirect URIs changed while the user was deciding. */
function isGoneRedirect(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Invalid redirect URI");
}

async function begin(
  received: Request,
  oauth: OAuth,
  dependencies: SignInDependencies,
  trouble?: Trouble,
): Promise<Response> {
  const url = new URL(received.url);
  const query = url.search;
  oauth.hideUnknownToolkit(url.searchParams);
  // First of all, because the library answers some mistakes with a link to the redirect URI.
  const to = url.searchParams.get("redirect_uri");
  if (to && !getsCodes(to)) return endPage(400, CANNOT_CONNECT, "Invalid redirect URI.");
  const request = await oauth.helpers.parseAuthRequest(new Request(url));
  // OAuth 2.1, section 7.5: every client must use PKCE. The library exempts clients with a secret.
  if (!CHALLENGE.test(request.codeChallenge ?? "")) {
    const description = "PKCE with S256 is required";
    return clientError(description, authorizationErrorRedirect(request, "invalid_request", description));
  }
  const { clientName, clientId, clientDomain, redirectUri, redirectHost, redirectIsLoopback } =
    await oauth.helpers.describeConsent(request);
  const ofApp = isOfApp(new URL(redirectUri));
  const who: Who = {
    name: clientName === clientId || displayName(clientName) === "" ? "An app without a name" : clientName,
    domain: clientDomain,
    host: ofApp ? placeOf(redirectUri) : redirectHost,
    loopback: redirectIsLoopback || ofApp,
  };
  // Unknown scopes stay in: a user without a key must not learn which scopes exist.
  const scope = request.scope.length > 0 ? [...new Set(request.scope)] : [...dependencies.baseScopes];
  const step = { request: { ...request, scope }, who, wrong: 0, headers: new Headers(), query };
  return askForKey(step, oauth, dependencies, trouble);
}

async function proceed(received: Request, oauth: OAuth, dependencies: SignInDependencies): Promise<Response> {
  const text = await (await readUpTo(received.body, MAX_FORM, AbortSignal.timeout(BODY_MS)))?.text();
  if (text === undefined) return endPage(413, "Too large", "Start again from the app.");
  const form = new URLSearchParams(text);
  const saved = await takeState(form.get("handle") ?? "", received, oauth);
  // The page was open for too long, was sent twice by a double click, or was reached with the back button. Start over.
  if (saved === undefined) return begin(received, oauth, dependencies, STALE);
  const query = new URL(received.url).search;
  const step: Step = { ...saved.data, request: saved.request, headers: saved.headers, query };
  return step.keyId === undefined
    ? takeKey((form.get("key") ?? "").trim(), step, oauth, dependencies)
    : decide(step.keyId, form, step, oauth, dependencies);
}

async function askForKey(
  step: Step,
  oauth: OAuth,
  dependencies: SignInDependencies,
  trouble?: Trouble,
): Promise<Response> {
  const { request, who } = step;
  const cancel = authorizationErrorRedirect(request, "access_denied");
  return keyPage(dependencies.serverName, who, request.scope, await saveState(step, oauth), cancel, trouble);
}

async function takeKey(text: string, step: Step, oauth: OAuth, dependencies: SignInDependencies): Promise<Response> {
  const { request, who, headers } = step;
  const principal = await dependencies.keys.find(text);
  const keyId = KEY_PRINCIPAL.exec(principal?.id ?? "")?.[1];
  const grantable = principal && items(principal, request, oauth, dependencies);
  if (keyId === undefined || grantable === undefined) {
    const wrong = step.wrong + 1;
    const why = principal ? { why: "key without access to what the app asks for" } : dependencies.keys.whyNot(text);
    dependencies.log({ level: "warning", message: "sign-in key refused", wrong, ...why });
    if (wrong >= MAX_WRONG) return endPage(403, "Too many tries", "Start again from the app.", headers);
    // The same message whether the key is unknown, expired or revoked. A toolkit that a key may not use looks to its
    // owner like one that does not exist.
    return askForKey({ ...step, wrong }, oauth, dependencies, principal ? NO_ACCESS : NOT_VALID);
  }
  return consentPage(dependencies.serverName, who, grantable, keyId, await saveState({ ...step, keyId }, oauth));
}

async function decide(
  keyId: string,
  form: URLSearchParams,
  { request, who, headers }: Step,
  oauth: OAuth,
  dependencies: SignInDependencies,
): Promise<Response> {
  if (form.get("decision") !== "allow") {
    const back = authorizationErrorRedirect(request, "access_denied");
    return linkBackPage(200, "Access denied", "The app was not given access.", back, headers);
  }
  const principal = await dependencies.keys.findById(keyId);
  const grantable = principal && items(principal, request, oauth, dependencies);
  if (!grantable) return endPage(403, "This key is no longer valid", "Start again from the app.", headers);
  const ticked = form.getAll("scope");
  const scope = grantable.scopes.filter((one) => ticked.includes(one));
  const { redirectTo } = await oauth.helpers.completeAuthorization({
    request,
    userId: keyId,
    metadata: {},
    scope,
    props: { keyId },
    // Several people may share a key and use the same app: a sign-in by one must not end the others' grants.
    revokeExistingGrants: false,
  });
  dependencies.log({ level: "info", message: "signed in", key: keyId, app: who.domain ?? request.clientId, scope });
  return redirect(redirectTo, headers);
}

/** Which of the requested scopes a key can grant, and what they give access to. */
function items(principal: Principal, { scope, resource }: AuthRequest, oauth: OAuth, dependencies: SignInDependencies) {
  const requested = supportedScopes(dependencies).filter((one) => scope.includes(one));
  return grantableOf(principal, requested, dependencies.catalog, oauth.toolkitOf(resource));
}

async function saveState({ request, headers, query, who, wrong, keyId }: Step, oauth: OAuth): Promise<Form> {
  const data: Progress = { who, wrong, ...(keyId !== undefined && { keyId }) };
  const begun = await oauth.helpers.beginUpstream(request, { data, headers });
  return { query, handle: begun.state, headers: begun.headers };
}

/** @returns undefined if the handle is unknown, expired, already used, or belongs to another browser */
async function takeState(handle: string, { headers }: Request, oauth: OAuth) {
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
 * An error in the client's request. Its redirect URI is not trusted (RFC 9700, section 4.11.2), so the user gets a
 * link; only a grant redirects automatically.
 */
function clientError(description: string, back: string): Response {
  return linkBackPage(400, CANNOT_CONNECT, `${description}.`, back);
}

/** Status 303, so that no browser sends the form to the new location (RFC 9700, section 4.12). */
function redirect(location: string, headers = new Headers()): Response {
  headers.set("location", location);
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "no-referrer");
  return new Response(null, { status: 303, headers });
}

function tooMany(): Response {
  return endPage(429, "Too many requests", "Wait a minute, then start again.", new Headers({ "retry-after": "60" }));
}

function notAllowed(): Response {
  return endPage(405, "Not allowed", "Only GET and POST are served here.", new Headers({ allow: "GET, POST" }));
}
