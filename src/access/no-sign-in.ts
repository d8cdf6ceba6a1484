/**
 * Answers clients that look for a sign-in that the deployment does not have. The paths are those of MCP's revision
 * 2025-03-26 (Authorization, Fallbacks for Servers without Metadata Discovery), which clients still fall back to, and
 * those of the Worker's own sign-in, which a client may remember from when it was on.
 */

/** Error codes by path: each specification has a different code for a way that is not supported. */
const ERRORS: ReadonlyMap<string, string> = new Map([
  // RFC 6749, section 4.1.2.1: "does not support obtaining an authorization code using this method".
  ["/authorize", "unsupported_response_type"],
  // RFC 6749, section 5.2: "The authorization grant type is not supported by the authorization server."
  ["/token", "unsupported_grant_type"],
  ["/oauth/token", "unsupported_grant_type"],
  // RFC 7591, section 3.2.2. The metadata includes grant_types, and none is supported.
  ["/register", "invalid_client_metadata"],
  ["/oauth/register", "invalid_client_metadata"],
]);

/** Web pages may read the response, because it is the same for everybody. */
const HEADERS = {
  "cache-control": "no-store",
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "*",
};

/** Tells a person where to get a credential. Must be ASCII without quotation marks and backslashes (RFC 6749, 5.2). */
export function wayIn({ origin, issuer, hasSignIn }: SignInPlace): string {
  if (hasSignIn) {
    return `The sign-in of this server is at ${origin}/oauth/register and ${origin}/oauth/token, as its metadata at ${origin}/.well-known/oauth-authorization-server says`;
  }
  if (issuer === undefined) {
    return "This server takes API keys and has no sign-in: ask its operator for a key, and send it in the header Authorization: Bearer KEY";
  }
  return `This server takes API keys and tokens, and has no sign-in of its own: get a token from ${issuer}, or ask its operator for a key, and send it in the header Authorization: Bearer`;
}

interface SignInPlace {
  /** This deployment's own origin. */
  readonly origin: string;
  /** The issuer from which clients may get tokens, if there is one. */
  readonly issuer: string | undefined;
  /** Whether the Worker's own sign-in is on. */
  readonly hasSignIn: boolean;
}

/**
 * Responds with an OAuth error (RFC 6749, section 5.2; RFC 7591, section 3.2.2), whose description clients show to a
 * person.
 *
 * @returns undefined for any other path
 */
export function noSignIn(method: string, path: string, place: SignInPlace): Response | undefined {
  const error = ERRORS.get(path.replace(/\/$/, ""));
  if (error === undefined) return undefined;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: HEADERS });
  return Response.json({ error, error_description: wayIn(place) }, { status: 400, headers: HEADERS });
}
