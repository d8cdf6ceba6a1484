/**
 * Sets up the library's authorization server for one origin: resources, scopes, lifetimes and storage. Renders no
 * pages.
 *
 * The library's records are in the deployment's KV, next to ours: docs/storage.md lists them.
 */
import { OAuthAuthorizationServer, OAuthError } from "@cloudflare/workers-oauth-provider";
import { addressOf } from "../../access/anonymous.ts";
import type { SignInDependencies } from "../../access/sign-in.ts";
import { getsCodes, NO_REDIRECT } from "./redirects.ts";
import { type GrantRecord, grantOf } from "./refresh-token-reuse.ts";

export const TOKEN_PATH = "/oauth/token";
export const REGISTER_PATH = "/oauth/register";
export const METADATA_PATH = "/.well-known/oauth-authorization-server";

const HOUR = 3_600;
const DAY = 86_400;
/** Short, to limit the damage of a leaked token. Revoking a key ends its tokens sooner. */
const ACCESS_SECONDS = HOUR;
/** Refresh tokens expire after this long without use. */
const IDLE_SECONDS = 30 * DAY;
/** Twice that, because a registration is renewed only in its second half and must outlive the client's grants. */
const REGISTRATION_SECONDS = 60 * DAY;
/** Placeholder for a toolkit that does not exist. No folder in tools/ can have this name. */
const NO_TOOLKIT = "-";
const TOOLKIT_RESOURCE = /^\/([a-z0-9-]+)\/mcp(\/?(?:\?.*)?)$/;
/** The longest key that KV takes. */
const MAX_KEY_BYTES = 512;

interface Env {
  readonly OAUTH_KV: KVNamespace;
}

/** Creates the authorization server of one origin. `isWithin` limits registrations (see limitsByAddress). */
export function createOAuth(
  origin: string,
  { kv, keys, catalog, baseScopes, log }: SignInDependencies,
  isWithin: IsWithin,
) {
  const publicResources = [`${origin}/mcp`, origin];
  const toolkits = [...catalog.toolkits, NO_TOOLKIT];
  const server = new OAuthAuthorizationServer<Env>({
    issuer: origin,
    // Each endpoint twice: with a slash at its end, its metadata names it so (access/protected-resource.ts).
    resources: [origin, ...["", ...toolkits.map((name) => `/${name}`)].flatMap((path) => endpoints(origin + path))],
    // For clients that do not know resource indicators (RFC 8707).
    defaultResource: `${origin}/mcp`,
    clientRegistrationEndpoint: REGISTER_PATH,
    // Without this flag the library throws. With the option off, a client id that is a URL counts as unknown.
    clientIdMetadataDocumentEnabled: Cloudflare.compatibilityFlags.global_fetch_strictly_public === true,
    // Not offline_access: every client gets a refresh token, and the consent page says so.
    // Only the base scopes: others would reveal tools that the reader may not see.
    scopesSupported: [...new Set(baseScopes)],
    accessTokenTTL: ACCESS_SECONDS,
    refreshTokenTTL: IDLE_SECONDS,
    refreshTokenIdleTTL: IDLE_SECONDS,
    clientRegistrationTTL: REGISTRATION_SECONDS,
    // Nearly any scheme, as far as the library goes; redirects.ts decides which of them get codes.
    allowPrivateUseRedirectUris: true,
    async clientRegistrationCallback({ clientMetadata }) {
      // One redirect URI that gets codes is enough: Cursor lists several.
      if ((clientMetadata.redirect_uris as string[]).some(getsCodes)) return undefined;
      return { code: "invalid_redirect_uri", description: NO_REDIRECT };
    },
    async tokenExchangeCallback({ props: { keyId } }) {
      // If the key was revoked, refuse. On this error, the library also ends the grant.
      if (await keys.findById(keyId)) return undefined;
      throw new OAuthError("invalid_grant", { description: "The authorization has ended" });
    },
    onError({ code, status, internal }) {
      // Do not log the request, nor `internal.detail`, which repeats parts of it.
      log({ level: "warning", message: "oauth request refused", code, status, reason: internal.reason });
    },
  });
  const env: Env = { OAUTH_KV: libraryKv(kv) };
  const envKeepingGrants: Env = { OAUTH_KV: keepingGrants(env.OAUTH_KV) };

  const split = (resource: string): readonly [toolkit: string, rest: string] | undefined => {
    // Only the exact spelling matches. A resource that the library would refuse for an existing toolkit stays refused.
    if (resource.slice(0, origin.length).toLowerCase() !== origin) return undefined;
    const [, toolkit, rest = ""] = TOOLKIT_RESOURCE.exec(resource.slice(origin.length)) ?? [];
    return toolkit === undefined ? undefined : [toolkit, rest];
  };
  const helpers = server.getOAuthApi(env);
  const readGrant = (key: string) => env.OAUTH_KV.get<GrantRecord>(key, { type: "json" });
  return {
    origin,
    /** @param changesGrant false for a token request that replaces no refresh token */
    fetch: (request: Request, changesGrant = true) =>
      server.fetch(request, changesGrant ? env : envKeepingGrants, NO_CONTEXT),
    helpers,
    isWithin,
    /** Whose grant this refresh token can renew; undefined if none. */
    async userOf(refreshToken: string): Promise<string | undefined> {
      const grant = await grantOf(refreshToken, readGrant);
      return grant?.isReplaced === false ? grant.userId : undefined;
    },
    /**
     * Ends this client's grant if the refresh token has been replaced (see refresh-token-reuse.ts).
     *
     * @param isRefreshToken if it may be an access token, which looks the same
     */
    async endIfReplaced(
      refreshToken: string,
      client: string | undefined,
      isRefreshToken: () => Promise<boolean> = async () => true,
    ): Promise<void> {
      const grant = await grantOf(refreshToken, readGrant);
      if (!grant?.isReplaced || grant.clientId !== client || !(await isRefreshToken())) return;
      await helpers.revokeGrant(grant.grantId, grant.userId);
      log({ level: "warning", message: "a refresh token came back: its grant has ended", key: grant.userId });
    },
    /** Resources that anyone may know about: those of the deployment as a whole. */
    publicResources,
    /**
     * Replaces the resource of a toolkit that does not exist with a placeholder that the library accepts, so that
     * callers without a key cannot find out which toolkits exist. A resource in an unusual spelling is replaced with
     * one that the library refuses.
     *
     * @returns whether it changed the parameters
     */
    hideUnknownToolkit(parameters: URLSearchParams): boolean {
      const [resource = "", another] = new Set(parameters.getAll("resource"));
      if (another !== undefined) return false;
      if (isUnusualSpelling(resource, origin)) {
        parameters.set("resource", `${origin}/${NO_TOOLKIT}`);
        return true;
      }
      const [toolkit, rest] = split(resource) ?? [];
      if (toolkit === undefined || catalog.toolkits.has(toolkit)) return false;
      parameters.set("resource", `${origin}/${NO_TOOLKIT}/mcp${rest}`);
      return true;
    },
    /** Folder name of the toolkit that a resource stands for; undefined for the deployment as a whole. */
    toolkitOf: (resource: string | undefined) => split(resource ?? "")?.[0],
  };
}

export type OAuth = ReturnType<typeof createOAuth>;

const endpoints = (base: string) => [`${base}/mcp`, `${base}/mcp/`];

/**
 * Whether a URI of this origin is not in the form that a URL parser gives it: for example with a user name, the default
 * port or dots in the path. Upper case in scheme and host is fine. The library normalizes some of these, and its
 * response would then reveal which toolkits exist.
 */
function isUnusualSpelling(resource: string, origin: string): boolean {
  const url = URL.parse(resource);
  if (url?.origin !== origin) return false;
  const spelled = resource.slice(0, origin.length).toLowerCase() + resource.slice(origin.length);
  return spelled !== origin && !(spelled === url.href && spelled.startsWith(`${origin}/`));
}

/** All scopes that can be granted: the base scopes, and those that some tool demands. */
export function supportedScopes({ catalog, baseScopes }: Pick<SignInDependencies, "catalog" | "baseScopes">): string[] {
  return [...new Set([...baseScopes, ...catalog.scopes])];
}

/**
 * Requests per minute and address, by what they cost: a KV write, a request to the client's host, or a credential
 * check. The numbers name rate limiters in wrangler.toml.
 */
const RATES = { "sign-in": 60, "client document": 60, token: 600 } as const;

/** Counts a request against its address. Resolves with whether the address is within the limit for this kind. */
export type IsWithin = (request: Request, what: keyof typeof RATES) => Promise<boolean>;

/**
 * Rate-limits unauthenticated requests by address. Without the limiter, requests are allowed and a warning is logged.
 */
export function limitsByAddress({ rateLimit, log }: Pick<SignInDependencies, "rateLimit" | "log">): IsWithin {
  /** Kinds whose missing limiter has been logged. */
  const logged = new Set<string>();
  return async (request, what) => {
    if (rateLimit === undefined) return true;
    try {
      return await rateLimit(RATES[what], `${what} ${addressOf(request.headers)}`);
    } catch (error) {
      // Sign-in also works without the limiter.
      if (!logged.has(what)) log({ level: "warning", message: "sign-in is not limited", error: String(error) });
      logged.add(what);
      return true;
    }
  };
}

/** The library needs a context only if it protects resources itself, which it does not do here. */
const NO_CONTEXT = { waitUntil() {}, passThroughOnException() {} } as unknown as ExecutionContext;

/** Drops the writes that replace grants. Grants can still end, which deletes them. */
function keepingGrants(kv: KVNamespace): KVNamespace {
  const put: KVNamespace["put"] = async (key, ...rest) => {
    if (!key.startsWith("grant:")) await kv.put(key, ...rest);
  };
  return { ...kv, put };
}

/** The names of a grant and of its tokens: captures key id and grant. */
const OF_GRANT = /^(?:grant|token):([^:]+:[^:]+)/;
/** A refresh under way may write the grant again, so the note outlives it by a day. */
const ENDED_SECONDS = IDLE_SECONDS + DAY;

/**
 * The KV namespace for the library. A key that is too long for KV, which anyone can send, reads as absent.
 *
 * When a grant ends, a note says so, and its tokens are not deleted: there may be thousands, and a refresh that is under
 * way may write them and the grant again. With the note, they read as absent until they expire.
 */
function libraryKv(kv: KVNamespace): KVNamespace {
  const fits = (key: unknown) => new TextEncoder().encode(String(key)).length <= MAX_KEY_BYTES;
  const noteOf = (key: string) => {
    const [, grant] = OF_GRANT.exec(key) ?? [];
    return grant && `ended-grant:${grant}`;
  };
  return {
    async get(key: string, options: object) {
      const note = noteOf(key);
      if (!fits(key) || (note && !fits(note))) return null;
      const [found, hasEnded] = await Promise.all([kv.get(key, options), note && kv.get(note)]);
      return hasEnded ? null : found;
    },
    put: (key: string, value: string, options?: KVNamespacePutOptions) => kv.put(key, value, options),
    async delete(key: string) {
      const note = noteOf(key);
      if (note === undefined || !key.startsWith("grant:")) return kv.delete(key);
      // KV takes one write a second for each name: another request may have ended the grant, or just written it.
      await kv.put(note, "1", { expirationTtl: ENDED_SECONDS }).catch(async (error) => {
        if ((await kv.get(note)) === null) throw error;
      });
      await kv.delete(key).catch(() => {});
    },
    // The library lists a grant's tokens to delete them.
    async list(options?: KVNamespaceListOptions) {
      return options?.prefix?.startsWith("token:") ? { keys: [], list_complete: true } : kv.list(options);
    },
  } as unknown as KVNamespace;
}
