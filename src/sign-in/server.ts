/**
 * This Worker as its own OAuth 2.1 authorization server: routes its endpoints and checks its tokens. The protocol is
 * the library's (see oauth.ts), the pages are ours (authorize.ts). Bundled only where wrangler.toml has the alias.
 */
import type { CreateSignIn, SignInParts } from "../access/sign-in.ts";
import { describeError } from "../core/lib/log.ts";
import { fromBase64Url } from "../core/ports/signed-handles.ts";
import { authorize } from "./authorize.ts";
import { readText } from "./body.ts";
import { createOAuth, limitsByAddress, METADATA_PATH, type OAuth, REGISTER_PATH, TOKEN_PATH } from "./oauth.ts";
import { guardLibrary } from "./outbound.ts";

const AUTHORIZE_PATH = "/authorize";
const PATHS: ReadonlySet<string> = new Set([AUTHORIZE_PATH, METADATA_PATH, REGISTER_PATH, TOKEN_PATH]);
/** A deployment has an address or a few; with a wildcard route anyone can invent more. */
const MAX_ORIGINS = 8;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** As the library makes them: key id, grant, 32 random characters. What looks otherwise is not looked up. */
const TOKEN = /^[0-9a-z]{16}:[\w-]{16}:[\w-]{32}$/;
/** Registrations, token requests: a few hundred bytes, or a few thousand with many redirect URIs. */
const MAX_BODY = 16_384;

const createSignIn: CreateSignIn = (parts) => {
  guardLibrary(parts.log);
  // The library wants its issuer when it is made, and ours is known from a request only: one for each origin.
  const made = new Map<string, OAuth>();
  const isWithin = limitsByAddress(parts);
  const at = (origin: string): OAuth => {
    const known = made.get(origin);
    if (known) return known;
    const [oldest] = made.keys();
    if (made.size >= MAX_ORIGINS && oldest !== undefined) made.delete(oldest);
    const oauth = createOAuth(origin, parts, isWithin);
    made.set(origin, oauth);
    return oauth;
  };

  return {
    fetch(request) {
      const url = new URL(request.url);
      if (!PATHS.has(url.pathname)) return undefined;
      if (!isSafe(url)) return Promise.resolve(failure(400, "invalid_request", "Only https is served here"));
      if (url.pathname === AUTHORIZE_PATH) return authorize(request, at(url.origin), parts);
      return serve(request, url.pathname, at(url.origin), parts);
    },

    async check(token, origin, resources) {
      if (!TOKEN.test(token) || !isSafe(new URL(origin))) return undefined;
      // One read tells whom a token is for. validateToken() would make one for each resource.
      const found = await at(origin).helpers.unwrapToken<{ readonly keyId: string }>(token);
      if (!found || typeof found.audience !== "string" || !resources.includes(found.audience)) return undefined;
      return { keyId: found.grant.props.keyId, grant: found.grantId, scopes: found.scope, expires: found.expiresAt };
    },
  };
};
export default createSignIn;

/** OAuth 2.1, section 1.5: nothing of this travels in the clear, but within one machine. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || LOOPBACK.test(hostname);
}

async function serve(request: Request, path: string, oauth: OAuth, parts: SignInParts): Promise<Response> {
  try {
    if (path === METADATA_PATH) return await metadata(request, oauth);
    if (request.method !== "POST") return await oauth.fetch(request);
    const text = await readText(request, MAX_BODY);
    if (text === undefined) return failure(413, "invalid_request", `More than ${MAX_BODY} bytes`);
    if (path === TOKEN_PATH) return await token(request, new URLSearchParams(text), text, oauth);
    return await oauth.fetch(withBody(request, text));
  } catch (error) {
    parts.log({ level: "error", message: "sign-in failed", error: describeError(error) });
    return failure(500, "server_error", "Internal error");
  }
}

/**
 * The library, which trips over keys that a client publishes if they are none.
 *
 * @param form what it is sent
 */
async function askLibrary(request: Request, form: URLSearchParams, oauth: OAuth): Promise<Response> {
  try {
    return await oauth.fetch(request);
  } catch (error) {
    if (!(error instanceof TypeError && form.has("client_assertion"))) throw error;
    return failure(401, "invalid_client", "Client authentication failed");
  }
}

/** RFC 8414. The library would tell everyone the names of all toolkits; whoever may know them learns them elsewhere. */
async function metadata(request: Request, oauth: OAuth): Promise<Response> {
  const response = await oauth.fetch(request);
  if (response.status !== 200 || request.method !== "GET") return response;
  const all = (await response.json()) as Record<string, unknown>;
  return new Response(JSON.stringify({ ...all, protected_resources: oauth.openResources }), response);
}

/** @param text the form as sent: forwarded as it is, unless a toolkit had to be hidden */
async function token(request: Request, form: URLSearchParams, text: string, oauth: OAuth): Promise<Response> {
  const isWithinLimit = await oauth.isWithin(request, "token");
  if (!isWithinLimit || (mayFetch(form, request.headers) && !(await oauth.isWithin(request, "client document")))) {
    return failure(429, "temporarily_unavailable", "Too many requests; wait a minute", { "retry-after": "60" });
  }
  const refreshToken = form.get("grant_type") === "refresh_token" ? form.get("refresh_token") : null;
  const seen = withBody(request, oauth.hideUnknownToolkit(form) ? form.toString() : text);
  const response = await askLibrary(seen, form, oauth);
  // Other errors of this status come before the library has asked who the client is.
  if (response.status === 400 && refreshToken !== null && (await errorOf(response)) === "invalid_grant") {
    await oauth.endIfReplaced(refreshToken, clientOf(form, request.headers));
  }
  return response;
}

async function errorOf(response: Response): Promise<string> {
  return (await response.clone().json<{ readonly error: string }>()).error;
}

/** The client that the library has authenticated: it takes no request that names one in two ways. */
function clientOf(form: URLSearchParams, headers: Headers): string | undefined {
  const basic = /^basic[ \t]+(\S+)/i.exec(headers.get("authorization") ?? "")?.[1];
  if (basic !== undefined) {
    const [id = ""] = atob(basic).split(":");
    // RFC 6749, section 2.3.1: written as in a form.
    return decodeURIComponent(id.replaceAll("+", " "));
  }
  // Like the library, past parameters that are empty.
  const sent = (name: string) => form.getAll(name).find((value) => value !== "");
  const id = sent("client_id");
  if (id !== undefined) return id;
  const claims = fromBase64Url(sent("client_assertion")?.split(".")[1] ?? "");
  return claims && JSON.parse(new TextDecoder().decode(claims)).iss;
}

/**
 * Whether the library may fetch client metadata for this request: not if the form alone names the client, and by no
 * URL.
 */
function mayFetch(form: URLSearchParams, headers: Headers): boolean {
  if (headers.has("authorization") || form.has("client_assertion")) return true;
  return form.getAll("client_id").some((id) => URL.parse(id)?.protocol === "https:");
}

function withBody({ url, method, headers }: Request, body: string): Request {
  const kept = new Headers(headers);
  kept.delete("content-length");
  return new Request(url, { method, headers: kept, body });
}

function failure(status: number, error: string, description: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { error, error_description: description },
    { status, headers: { "cache-control": "no-store", "access-control-allow-origin": "*", ...headers } },
  );
}
