/**
 * This deployment as an OAuth protected resource: its identifiers, its metadata (RFC 9728), and the challenges that
 * point clients to the metadata (RFC 6750, section 3; MCP, basic/authorization).
 */

export interface ResourceSettings {
  /**
   * Issuers from which clients may get tokens. If there is none, this deployment is not an OAuth protected resource and
   * publishes no metadata. `origin` is this deployment's own.
   */
  readonly issuers: (origin: string) => readonly string[];
  /** Scopes that clients request when they first connect: only those that every caller needs. */
  readonly baseScopes: readonly string[];
  readonly name: string;
}

export const METADATA_PATH = "/.well-known/oauth-protected-resource";
const METADATA = /^\/\.well-known\/oauth-protected-resource((?:\/[a-z0-9-]+)?\/mcp\/?)?$/;
/** Also served with a trailing slash, which makes it a separate resource: identifiers are compared exactly. */
const MCP_PATH = /^(\/[a-z0-9-]+)?\/mcp\/?$/;

/** Whether this path serves the metadata: of the origin, of `/mcp`, or of one toolkit's `/mcp` (RFC 9728, 3.1). */
export function isMetadataPath(path: string): boolean {
  return METADATA.test(path);
}

/**
 * Builds the metadata (RFC 9728, section 2). Does so for any toolkit's path, so as not to reveal which toolkits exist.
 *
 * @returns undefined if there is no issuer
 */
export function resourceMetadata(
  { origin, pathname }: URL,
  settings: ResourceSettings,
): Record<string, unknown> | undefined {
  const issuers = settings.issuers(origin);
  if (issuers.length === 0) return undefined;
  return {
    // As it was requested, with any trailing slash (section 3.3: "MUST be identical").
    resource: origin + (METADATA.exec(pathname)?.[1] ?? ""),
    authorization_servers: issuers,
    ...(settings.baseScopes.length > 0 && { scopes_supported: settings.baseScopes }),
    bearer_methods_supported: ["header"],
    resource_name: settings.name,
  };
}

/** An origin in the URL standard's own spelling: a lower-case host name, and no default port. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?::[1-9]\d{3,4})?$/;

/** The origin of a request's URL. Parses the URL only if it is not already in normal form, which is rare. */
export function originOf(url: string): string {
  const end = url.indexOf("/", "https://".length);
  const origin = url.slice(0, end < 0 ? undefined : end);
  return ORIGIN.test(origin) ? origin : new URL(url).origin;
}

/** URIs that a token for this request may have been issued for, the most specific first. */
export function resourcesOf(origin: string, toolkit: string | undefined): readonly string[] {
  const all = [`${origin}/mcp`, `${origin}/mcp/`, origin, `${origin}/`];
  if (toolkit === undefined) return all;
  const own = `${origin}/${toolkit}`;
  return [`${own}/mcp`, `${own}/mcp/`, own, ...all];
}

/**
 * The value of `WWW-Authenticate`.
 *
 * @param url of the request
 * @param error undefined if the request had no credential
 * @param scopes that this request needs
 */
export function challenge(
  { origin, pathname }: URL,
  settings: ResourceSettings,
  error: "invalid_token" | "insufficient_scope" | undefined,
  scopes: readonly string[],
): string {
  const parts = [`realm="${settings.name.replace(/[^\w .-]/g, "")}"`];
  if (error) parts.push(`error="${error}"`);
  if (settings.issuers(origin).length > 0) {
    const suffix = MCP_PATH.test(pathname) ? pathname : "";
    parts.push(`resource_metadata="${origin}${METADATA_PATH}${suffix}"`);
    if (scopes.length > 0) parts.push(`scope="${scopes.join(" ")}"`);
  }
  return `Bearer ${parts.join(", ")}`;
}
