/**
 * Refuses requests from web pages that are not allowed to call (MCP, basic/transports, Security Warning: "Servers MUST
 * validate the Origin header"), and implements CORS for those that are (Fetch standard). A server on loopback accepts
 * only loopback host names, which stops DNS rebinding.
 */

export interface OriginPolicy {
  /** Whether only this machine may call, as under `npm start`. */
  readonly local: boolean;
  /** Allowed origins besides the server's own: `https://app.example.com`. */
  readonly origins: readonly string[];
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|[a-z0-9-]+\.localhost)$/i;

/**
 * @param origin the request's `Origin` header; null if no web page sent the request
 * @returns why the request is refused, or undefined if it is allowed
 */
export function refusedOrigin(
  request: Request,
  origin: string | null,
  { local, origins }: OriginPolicy,
): string | undefined {
  if (!local && origin === null) return undefined;
  const url = new URL(request.url);
  if (local && !LOOPBACK.test(url.hostname)) return "This server accepts requests from this machine only";
  if (origin === null || origin === url.origin || origins.includes(origin)) return undefined;
  if (local && /^https?:/.test(origin) && LOOPBACK.test(URL.parse(origin)?.hostname ?? "")) return undefined;
  return "Web pages of this origin may not call this server";
}

/** Response headers that a web page may read. */
const EXPOSED = "ETag, Idempotency-Replayed, Idempotency-Running, Mcp-Session-Id, Retry-After, WWW-Authenticate";
const PREFLIGHT_SECONDS = "7200";
/** Comma-separated tokens (RFC 9110, section 5.6.2). A tool may define headers such as `Mcp-Param-a.b`. */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~, -]{1,8192}$/;

/**
 * Lets the web page that sent the request read the response (CORS). Changes the response's headers and returns it. Only
 * for requests that {@link refusedOrigin} allowed.
 */
export function allowOrigin(response: Response, origin: string): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  const varies = response.headers.get("vary");
  response.headers.set("vary", varies === null || varies === "origin" ? "origin" : `${varies}, origin`);
  return response;
}

/** Answers a CORS preflight request from an allowed origin. Returns undefined for any other request. */
export function preflight(request: Request): Response | undefined {
  const method = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || method === null || !request.headers.has("origin")) return undefined;
  // The origin is allowed, so it may send any header.
  const requested = request.headers.get("access-control-request-headers");
  const headers: Record<string, string> = {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-max-age": PREFLIGHT_SECONDS,
    vary: "access-control-request-headers",
    "x-content-type-options": "nosniff",
  };
  if (requested !== null && FIELD_NAMES.test(requested)) headers["access-control-allow-headers"] = requested;
  return new Response(null, { status: 204, headers });
}
