/**
 * The Worker as its own OAuth 2.1 authorization server: routes the endpoints and checks the tokens. A library does the
 * protocol (see oauth.ts), the pages are ours (authorize.ts). Bundled only if SIGN_IN is "true" in some environment.
 */
import type { CreateSignIn, SignInDependencies } from "../../access/sign-in.ts";
import { fromBase64Url } from "../../core/crypto/encoding.ts";
import { dropOldest } from "../../core/lib/drop-oldest.ts";
import { describeError } from "../../core/lib/log.ts";
import { readUpTo } from "../../core/lib/read-up-to.ts";
import { authorize } from "./authorize.ts";
import { guardLibrary } from "./guard-globals.ts";
import {
  createOAuth,
  type IsWithin,
  limitsByAddress,
  METADATA_PATH,
  type OAuth,
  REGISTER_PATH,
  TOKEN_PATH,
} from "./oauth.ts";
import { sharingRefreshToken, wasUsed } from "./overlap.ts";
import { isSafe } from "./redirects.ts";

const AUTHORIZE_PATH = "/authorize";
const PATHS: ReadonlySet<string> = new Set([AUTHORIZE_PATH, METADATA_PATH, REGISTER_PATH, TOKEN_PATH]);
/** Limits memory: a deployment has a few origins at most, but with a wildcard route callers can invent more. */
const MAX_ORIGINS = 8;
/**
 * Limits memory too: the library's servers are replaced after so many requests that may fetch the keys of a client. A
 * server keeps up to 256 of these, of 0.25 MB each, and filling it needs no credential.
 */
const REPLACED_AFTER = 16;
/** The library's format: key id, grant, 32 random characters. Other texts are not looked up. */
const TOKEN = /^[0-9a-z]{16}:[\w-]{16}:[\w-]{32}$/;
/** In bytes. Registrations and token requests have a few hundred, or a few thousand with many redirect URIs. */
const MAX_BODY = 16_384;
/** How long a body may take to arrive, in milliseconds. */
const BODY_MS = 30_000;

/** @param mayFetchKeys whether the request may make the server fetch the keys of a client */
type ServerAt = (origin: string, mayFetchKeys?: boolean) => OAuth;

export const createSignIn: CreateSignIn = (dependencies) => {
  guardLibrary(dependencies.log);
  // The library needs its issuer at construction, but we know our origin only from a request. So each origin has one.
  const servers = new Map<string, OAuth>();
  let fetches = 0;
  const isWithin = limitsByAddress(dependencies);
  const serverAt: ServerAt = (origin, mayFetchKeys = false) => {
    if (mayFetchKeys && ++fetches % REPLACED_AFTER === 0) servers.clear();
    const known = servers.get(origin);
    if (known) return known;
    const oauth = createOAuth(origin, dependencies, isWithin);
    servers.set(origin, oauth);
    dropOldest(servers, MAX_ORIGINS);
    return oauth;
  };

  return {
    fetch(request) {
      const url = new URL(request.url);
      if (!PATHS.has(url.pathname)) return undefined;
      if (!isSafe(url)) return Promise.resolve(failure(400, "invalid_request", "Only https is served here"));
      if (url.pathname === AUTHORIZE_PATH) return authorize(request, serverAt(url.origin), dependencies);
      return serve(request, url, serverAt, isWithin, dependencies);
    },

    async check(token, origin, resources) {
      if (!TOKEN.test(token) || !isSafe(new URL(origin))) return undefined;
      // Looked up once, and we compare the audience ourselves: validateToken() would look it up for each resource.
      const found = await serverAt(origin).helpers.unwrapToken<{ readonly keyId: string }>(token);
      if (!found || typeof found.audience !== "string" || !resources.includes(found.audience)) return undefined;
      return { keyId: found.grant.props.keyId, grant: found.grantId, scopes: found.scope, expires: found.expiresAt };
    },
  };
};

async function serve(
  request: Request,
  { pathname: path, origin }: URL,
  serverAt: ServerAt,
  isWithin: IsWithin,
  dependencies: SignInDependencies,
): Promise<Response> {
  try {
    if (path === METADATA_PATH) return await metadata(request, serverAt(origin));
    if (request.method !== "POST") return await serverAt(origin).fetch(request);
    // Limit before the body is read: the sender has no credential yet.
    if (!(await isWithin(request, path === TOKEN_PATH ? "token" : "sign-in"))) return tooMany();
    const text = await (await readUpTo(request.body, MAX_BODY, AbortSignal.timeout(BODY_MS)))?.text();
    if (text === undefined) return failure(413, "invalid_request", `More than ${MAX_BODY} bytes`);
    if (path === REGISTER_PATH) return await serverAt(origin).fetch(withBody(request, text));
    const form = new URLSearchParams(text);
    const mayFetchKeys = mayFetch(form, request.headers);
    if (mayFetchKeys && !(await isWithin(request, "client document"))) return tooMany();
    const answering = token(request, form, text, serverAt(origin, mayFetchKeys), dependencies);
    // If the client disconnects, the refresh token must still be replaced: others may wait for what this request gets.
    dependencies.defer(answering.catch(() => {}));
    return await answering;
  } catch (error) {
    if ((error as Error).name === "TimeoutError")
      return failure(408, "invalid_request", `The body took longer than ${BODY_MS / 1_000} seconds`);
    dependencies.log({ level: "error", message: "sign-in failed", error: describeError(error) });
    return failure(500, "server_error", "Internal error");
  }
}

/**
 * Passes a token request to the library, which throws a TypeError if a client publishes malformed keys.
 *
 * @param form the request's body
 */
async function tokenResponse(
  request: Request,
  form: URLSearchParams,
  oauth: OAuth,
  changesGrant: boolean,
): Promise<Response> {
  try {
    return await oauth.fetch(request, changesGrant);
  } catch (error) {
    if (!(error instanceof TypeError && form.has("client_assertion"))) throw error;
    return failure(401, "invalid_client", "Client authentication failed");
  }
}

/** Serves the metadata (RFC 8414) without the resources of toolkits, whose names the library would reveal. */
async function metadata(request: Request, oauth: OAuth): Promise<Response> {
  const response = await oauth.fetch(request);
  if (response.status !== 200 || request.method !== "GET") return response;
  const all = (await response.json()) as Record<string, unknown>;
  return new Response(JSON.stringify({ ...all, protected_resources: oauth.publicResources }), response);
}

/** @param text the form as it was sent. Forwarded unchanged, unless a toolkit had to be hidden */
async function token(
  request: Request,
  form: URLSearchParams,
  text: string,
  oauth: OAuth,
  dependencies: SignInDependencies,
): Promise<Response> {
  const refreshToken = form.get("grant_type") === "refresh_token" ? form.get("refresh_token") : null;
  const forwarded = withBody(request, oauth.hideUnknownToolkit(form) ? form.toString() : text);
  const ask = (changesGrant: boolean) => tokenResponse(forwarded, form, oauth, changesGrant);
  const user = refreshToken === null ? undefined : await oauth.userOf(refreshToken);
  const response =
    user === undefined || refreshToken === null
      ? await ask(true)
      : await sharingRefreshToken(user, refreshToken, dependencies, ask);
  // Other errors with this status may occur before the library has authenticated the client.
  if (response.status === 400 && refreshToken !== null && (await errorOf(response)) === "invalid_grant") {
    await oauth.endIfReplaced(refreshToken, clientOf(form, request.headers));
  }
  const revoked = form.get("grant_type") ? null : form.get("token");
  // The library ends nothing if a thief has renewed the token twice since. An access token is never exchanged.
  if (response.status === 200 && revoked !== null) {
    await oauth.endIfReplaced(revoked, clientOf(form, request.headers), () => wasUsed(revoked, dependencies));
  }
  return response;
}

async function errorOf(response: Response): Promise<string> {
  return (await response.clone().json<{ readonly error: string }>()).error;
}

/** Id of the client that the library has authenticated. (It refuses requests that name the client in two ways.) */
function clientOf(form: URLSearchParams, headers: Headers): string | undefined {
  const basic = /^basic[ \t]+(\S+)/i.exec(headers.get("authorization") ?? "")?.[1];
  if (basic !== undefined) {
    const [id = ""] = atob(basic).split(":");
    // RFC 6749, section 2.3.1: form-encoded.
    return decodeURIComponent(id.replaceAll("+", " "));
  }
  // Like the library, ignore empty parameters.
  const sent = (name: string) => form.getAll(name).find((value) => value !== "");
  const id = sent("client_id");
  if (id !== undefined) return id;
  const claims = fromBase64Url(sent("client_assertion")?.split(".")[1] ?? "");
  return claims && JSON.parse(new TextDecoder().decode(claims)).iss;
}

/**
 * Whether this request may make the library fetch client metadata. It does not if only the form names the client, and
 * not by a URL.
 */
function mayFetch(form: URLSearchParams, headers: Headers): boolean {
  if (headers.has("authorization") || form.has("client_assertion")) return true;
  return form.getAll("client_id").some((id) => URL.parse(id)?.protocol === "https:");
}

function withBody({ url, method, headers }: Request, body: string): Request {
  const copied = new Headers(headers);
  copied.delete("content-length");
  return new Request(url, { method, headers: copied, body });
}

function tooMany(): Response {
  return failure(429, "temporarily_unavailable", "Too many requests; wait a minute", { "retry-after": "60" });
}

function failure(status: number, error: string, description: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { error, error_description: description },
    { status, headers: { "cache-control": "no-store", "access-control-allow-origin": "*", ...headers } },
  );
}
