/**
 * The library's authorization server for one origin, with our settings: which resources and scopes there are, how long
 * things live, where they are kept. Shows no page.
 *
 * Its records stand in the deployment's KV beside ours: docs/storage.md lists them.
 */
import { OAuthAuthorizationServer, OAuthError, type OAuthHelpers } from "@cloudflare/workers-oauth-provider";
import { addressOf } from "../access/anonymous.ts";
import type { SignInParts } from "../access/sign-in.ts";
import { type GrantRecord, grantOfReplacedToken } from "./reuse.ts";

export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
export const METADATA_PATH = "/.well-known/oauth-authorization-server";

export interface OAuth {
  readonly origin: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly helpers: OAuthHelpers;
  readonly isWithin: IsWithin;
  /** Resources that anyone may know of: the deployment as a whole. */
  readonly openResources: readonly string[];
  /**
   * Replaces the resource of a nonexistent toolkit by one that nobody has: without a key, nobody can tell which
   * toolkits exist. A resource in a roundabout spelling becomes one that is refused.
   *
   * @returns whether it changed them
   */
  hideUnknownToolkit(parameters: URLSearchParams): boolean;
  /** Ends this client's grant if its refresh token has been replaced (see reuse.ts); leaves all others alone. */
  endIfReplaced(refreshToken: string, client: string | undefined): Promise<void>;
  /** Folder name of the toolkit that a resource is; undefined for the deployment as a whole. */
  toolkitOf(resource: string | undefined): string | undefined;
}

const HOUR = 3_600;
const DAY = 86_400;
/** Short: what a client lost is worth little. Revoking a key closes its tokens sooner. */
const ACCESS_SECONDS = HOUR;
/** Refresh tokens live as long as they are used this often. */
const IDLE_SECONDS = 30 * DAY;
/** Twice that: a registration is renewed only in its second half, and must outlive what was granted to it. */
const REGISTRATION_SECONDS = 60 * DAY;
/** No folder below tools/ can have this name. */
const NO_TOOLKIT = "-";
const TOOLKIT_RESOURCE = /^\/([a-z0-9-]+)\/mcp(\?.*)?$/;
/** What KV takes. */
const MAX_KEY_BYTES = 512;

interface Env {
  readonly OAUTH_KV: KVNamespace;
}

export function createOAuth(
  origin: string,
  { kv, keys, catalog, baseScopes, log }: SignInParts,
  isWithin: IsWithin,
): OAuth {
  const openResources = [`${origin}/mcp`, origin];
  const server = new OAuthAuthorizationServer<Env>({
    issuer: origin,
    resources: [...openResources, ...[...catalog.toolkits, NO_TOOLKIT].map((toolkit) => `${origin}/${toolkit}/mcp`)],
    // For clients older than resource indicators (RFC 8707).
    defaultResource: `${origin}/mcp`,
    clientRegistrationEndpoint: REGISTER_PATH,
    // Without the flag the library throws; so a client that names itself by a URL is one that is not known.
    clientIdMetadataDocumentEnabled: Cloudflare.compatibilityFlags.global_fetch_strictly_public === true,
    // No offline_access: every client gets a refresh token, and the page says so.
    // Only base scopes: others would reveal tools that the reader cannot see.
    scopesSupported: [...new Set(baseScopes)],
    accessTokenTTL: ACCESS_SECONDS,
    refreshTokenTTL: IDLE_SECONDS,
    refreshTokenIdleTTL: IDLE_SECONDS,
    clientRegistrationTTL: REGISTRATION_SECONDS,
    async clientRegistrationCallback({ request }) {
      if (await isWithin(request, "sign-in")) return undefined;
      return { code: "temporarily_unavailable", description: "Too many registrations; wait a minute", status: 429 };
    },
    async tokenExchangeCallback({ props: { keyId } }) {
      // Whose key was revoked gets no more tokens; the library ends the grant for this error.
      if (await keys.findById(keyId)) return undefined;
      throw new OAuthError("invalid_grant", { description: "The authorization has ended" });
    },
    onError({ code, status, internal }) {
      // Not what was sent, nor `internal.detail`, which repeats some of it.
      log({ level: "warning", message: "oauth request refused", code, status, reason: internal.reason });
    },
  });
  const env: Env = { OAUTH_KV: forgiving(kv) };

  const split = (resource: string): readonly [toolkit: string, query: string] | undefined => {
    // Nothing but the exact spelling: what the library would refuse for a toolkit that exists stays refused.
    if (resource.slice(0, origin.length).toLowerCase() !== origin) return undefined;
    const [, toolkit, query = ""] = TOOLKIT_RESOURCE.exec(resource.slice(origin.length)) ?? [];
    return toolkit === undefined ? undefined : [toolkit, query];
  };
  const helpers = server.getOAuthApi(env);
  return {
    origin,
    fetch: (request) => server.fetch(request, env, NO_CONTEXT),
    helpers,
    isWithin,
    async endIfReplaced(refreshToken, client) {
      const read = (key: string) => env.OAUTH_KV.get<GrantRecord>(key, { type: "json" });
      const grant = await grantOfReplacedToken(refreshToken, client, read);
      if (grant === undefined) return;
      await helpers.revokeGrant(grant.grantId, grant.userId);
      log({ level: "warning", message: "a refresh token came back: its grant has ended", key: grant.userId });
    },
    openResources,
    hideUnknownToolkit(parameters) {
      const [resource = "", another] = new Set(parameters.getAll("resource"));
      if (another !== undefined) return false;
      if (isRoundabout(resource, origin)) {
        parameters.set("resource", `${origin}/${NO_TOOLKIT}`);
        return true;
      }
      const [toolkit, query] = split(resource) ?? [];
      if (toolkit === undefined || catalog.toolkits.has(toolkit)) return false;
      parameters.set("resource", `${origin}/${NO_TOOLKIT}/mcp${query}`);
      return true;
    },
    toolkitOf: (resource) => split(resource ?? "")?.[0],
  };
}

/**
 * Whether a URI of this origin is spelled otherwise than a URL parser spells it, but for capitals in scheme and host: with
 * a user, the port that goes without saying, dots in the path. The library reads through some of that, and what it finds
 * or does not find there would tell which toolkits exist.
 */
function isRoundabout(resource: string, origin: string): boolean {
  const url = URL.parse(resource);
  if (url?.origin !== origin) return false;
  const spelled = resource.slice(0, origin.length).toLowerCase() + resource.slice(origin.length);
  return spelled !== origin && !(spelled === url.href && spelled.startsWith(`${origin}/`));
}

/** What can be granted at all. */
export function supportedScopes({ catalog, baseScopes }: Pick<SignInParts, "catalog" | "baseScopes">): string[] {
  return [...new Set([...baseScopes, ...catalog.scopes])];
}

/**
 * Requests a minute from one address, by what they cost: a write to KV, a request to the client's own host, or a look
 * at a credential. Names of limiters in wrangler.toml.
 */
const RATES = { "sign-in": 60, "client document": 60, token: 600 } as const;

/** Counts one more request from its address. Resolves with whether that is within the limit of its kind. */
export type IsWithin = (request: Request, what: keyof typeof RATES) => Promise<boolean>;

/** Rate-limits unauthenticated requests by address. */
export function limitsByAddress({ rateLimit, log }: Pick<SignInParts, "rateLimit" | "log">): IsWithin {
  /** What the log has said not to be limited: once is enough. */
  const told = new Set<string>();
  return async (request, what) => {
    if (rateLimit === undefined) return true;
    try {
      return await rateLimit(RATES[what], `${what} ${addressOf(request.headers)}`);
    } catch (error) {
      // A fork without such a limiter can be signed in to all the same.
      if (!told.has(what)) log({ level: "warning", message: "sign-in is not limited", error: String(error) });
      told.add(what);
      return true;
    }
  };
}

/** Roles without protected resources run nothing in the background. */
const NO_CONTEXT = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;

/**
 * The KV that the library gets. Keys too long for KV (anyone may send them) read as absent.
 */
function forgiving(kv: KVNamespace): KVNamespace {
  const fits = (key: unknown) => new TextEncoder().encode(String(key)).length <= MAX_KEY_BYTES;
  return {
    get: async (key: string, options: object) => (fits(key) ? kv.get(key, options) : null),
    put: (key: string, value: string, options?: KVNamespacePutOptions) => kv.put(key, value, options),
    delete: (key: string) => kv.delete(key),
    list: (options?: KVNamespaceListOptions) => kv.list(options),
  } as unknown as KVNamespace;
}
