/**
 * Keeps web pages of others out (MCP, basic/transports, Security Warning: "Servers MUST validate the Origin header"):
 * a browser says on whose behalf it calls, and a server on loopback answers to loopback's names only, so that a name
 * that was made to lead here (DNS rebinding) leads nowhere. Pages that may call are told so (Fetch standard, CORS).
 */

export interface OriginPolicy {
  /** The server is for this machine: `npm start` says so. */
  readonly local: boolean;
  /** Origins beside the server's own whose pages may call: `https://app.example.com`. */
  readonly origins: readonly string[];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|[a-z0-9-]+\.localhost)$/i;

/**
 * @param origin of the page that sent the request; none means that no browser did
 * @returns why the request is refused; undefined for one that may go on
 */
export function refusedOrigin(
  request: Request,
  origin: string | null,
  { local, origins }: OriginPolicy,
): string | undefined {
  if (!local && origin === null) return undefined;
  const url = new URL(request.url);
  if (local && !LOOPBACK.test(url.hostname)) return "This server answers to this machine only";
  if (origin === null || origin === url.origin || origins.includes(origin)) return undefined;
  if (local && /^https?:/.test(origin) && LOOPBACK.test(URL.parse(origin)?.hostname ?? "")) return undefined;
  return "Pages of this origin may not call";
}

/** What a page may read of an answer beside its body. */
const EXPOSED = "ETag, Idempotency-Replayed, Mcp-Session-Id, Retry-After, WWW-Authenticate";
const PREFLIGHT_SECONDS = "7200";
/** Tokens (RFC 9110, section 5.6.2), parted by commas: a tool may name a header of its own `Mcp-Param-a.b`. */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,8192}$/;

/** Lets the page that sent the request read the answer. For requests that {@link refusedOrigin} let in. */
export function allowOrigin(response: Response, origin: string | null): Response {
  if (origin === null) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  const varies = response.headers.get("vary");
  response.headers.set("vary", varies === null || varies === "origin" ? "origin" : `${varies}, origin`);
  return response;
}

/** Answers a browser's question whether it may send a request (Fetch standard, CORS-preflight); undefined for others. */
export function preflight(request: Request): Response | undefined {
  const method = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || method === null || !request.headers.has("origin")) return undefined;
  // The origin was found to be one that may call: it may send what headers it needs.
  const asked = request.headers.get("access-control-request-headers");
  const headers: Record<string, string> = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-max-age": PREFLIGHT_SECONDS,
    vary: "access-control-request-headers",
    "x-content-type-options": "nosniff",
  };
  if (asked !== null && FIELD_NAMES.test(asked)) headers["access-control-allow-headers"] = asked;
  return new Response(null, { status: 204, headers });
}
