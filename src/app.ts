/** Builds the Hono app: origin check and guard, then every protocol, for all toolkits and under each toolkit's path. */
import type { Context } from "hono";
import { HonoBase as Hono } from "hono/hono-base";
import type { H, RouterRoute } from "hono/types";
import { getPath } from "hono/utils/url";
import type { Rejection } from "./access/guard.ts";
import { locate } from "./access/locate.ts";
import { noSignIn, wayIn } from "./access/no-sign-in.ts";
import { challenge, METADATA_PATH, type ResourceSettings, resourceMetadata } from "./access/protected-resource.ts";
import { type Composed, composed } from "./compose.ts";
import type { Catalog } from "./core/catalog/catalog.ts";
import { describeError } from "./core/lib/log.ts";
import { isPromise } from "./core/lib/maybe-promise.ts";
import type { Principal } from "./core/model/principal.ts";
import { ANONYMOUS } from "./core/model/principal.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import type { App, Deployment } from "./deployment.ts";
import type { Feature } from "./features/feature.ts";
import { allowOrigin as allow, preflight, refusedOrigin } from "./http/origin.ts";
import type { Challenge, Endpoint, Protocol, RequestContext } from "./http/request-context.ts";
import { json } from "./http/response.ts";
import { type PathParams, ToolkitRouter } from "./http/toolkit-router.ts";
import { createMcp } from "./protocols/mcp/routes.ts";
import { opentool } from "./protocols/opentool/routes.ts";
import { oxp } from "./protocols/oxp/routes.ts";

type AppRouter = ToolkitRouter<[H, RouterRoute]>;

interface Routes {
  readonly router: AppRouter;
  /** The protocol whose format an error has if the request did not reach an endpoint. */
  readonly protocolOf: (path: string) => Protocol;
}

const ANY_ORIGIN = { "access-control-allow-origin": "*" };
/** Where machines look for documents. Some append it to a resource's path, to find an issuer (OpenID Connect). */
const WELL_KNOWN = /\/\.well-known(\/|$)/;
const METADATA_CORS = { ...ANY_ORIGIN, "access-control-allow-methods": "GET", "access-control-allow-headers": "*" };

/**
 * Builds the app: registers every protocol's endpoints, and the routes that do not belong to a protocol.
 *
 * @param features of the deployment, the outermost first
 */
export function createApp(deployment: Deployment, features: readonly Feature[] = []): App {
  const { runtime, documents } = deployment;
  const { toolkits } = runtime.catalog;
  const steps = composed(features);
  const protocols: readonly Protocol[] = [
    oxp,
    createMcp(features.flatMap(({ mcp }) => mcp ?? [])),
    opentool,
    ...features.toReversed().flatMap(({ endpoints }) => endpoints?.(runtime) ?? []),
    ...(documents ? [documents] : []),
  ];
  const router: AppRouter = new ToolkitRouter((path) => locate(path, toolkits));
  const routes: Routes = { router, protocolOf: protocolFinder(protocols) };
  const app = new Hono({ router });
  const direct = new WeakMap<H, Serve>();
  app.get("/", (c) => steps.home(deployment, c));
  app.get(METADATA_PATH, (c) => {
    const metadata = resourceMetadata(new URL(c.req.url), deployment.resource);
    return metadata ? json(metadata, 200, ANY_ORIGIN) : c.notFound();
  });
  for (const protocol of protocols) {
    for (const endpoint of protocol.endpoints) {
      const serve = guarded(deployment, steps, endpoint, protocol, routes);
      const handler: H = (c) => serve(c.req.raw, c.req.param());
      direct.set(handler, serve);
      app.on(endpoint.method, endpoint.path, handler);
    }
  }
  app.notFound((c) => unmatched(c, deployment, routes));
  app.onError((error, c) => unhandled(error, c.req.raw, deployment, routes));
  return {
    // Calls the endpoint directly if the router finds nothing else. Endpoints do not use Hono's context, which with its
    // promises would be a sixth of a call's allocations and 3% of its time.
    fetch(request) {
      const [found] = router.match(request.method, getPath(request));
      const only = found.length === 1 ? found[0] : undefined;
      const serve = only && direct.get(only[0][0]);
      return serve ? serve(request, only[1]) : app.fetch(request);
    },
  };
}

/** @param origin null if no web page sent the request */
function allowOrigin(response: Response, origin: string | null): Response {
  return origin === null ? response : allow(response, origin);
}

type Serve = (request: Request, params: PathParams) => Promise<Response>;

/** Responds to an exception. Mistakes of callers never throw, so it is a bug of ours: only the log gets details. */
function unhandled(error: unknown, request: Request, { runtime }: Deployment, { protocolOf }: Routes): Response {
  runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
  return allowOrigin(protocolOf(getPath(request)).httpError(500, "Internal error"), request.headers.get("origin"));
}

function guarded(
  deployment: Deployment,
  { execute, forModels }: Composed,
  { serve, open }: Endpoint,
  { httpError }: Protocol,
  routes: Routes,
): Serve {
  const { runtime, server, limits, originPolicy, resource } = deployment;
  // Callers who see the same catalogue share a runtime.
  const runtimes = new WeakMap<Catalog, Runtime>([[runtime.catalog, forModels(runtime)]]);
  const runtimeFor = (catalog: Catalog): Runtime => {
    const cached = runtimes.get(catalog);
    if (cached) return cached;
    const created = forModels({ ...runtime, catalog });
    runtimes.set(catalog, created);
    return created;
  };
  // All requests share these methods, so that no request allocates closures.
  const challenge: RequestContext["challenge"] = function (this: RequestContext, scopes) {
    return stepUp(new URL(this.request.url), resource, this.principal, scopes, this.runtime.catalog.scopes);
  };
  const refusalOf = (
    admitted: Principal | Rejection,
    { principal, runtime: { catalog } }: RequestContext,
  ): Response | undefined => {
    if ("status" in admitted) return httpError(admitted.status, admitted.message, admitted.headers);
    if (admitted.id === principal.id && runtime.catalog.visibleTo(admitted).view === catalog.view) return undefined;
    return httpError(403, "The tools visible to this caller have changed; connect again");
  };
  const recheck: RequestContext["recheck"] = function (this: RequestContext, times) {
    const admitting = deployment.guard(this, this.toolkit, times);
    return isPromise(admitting) ? admitting.then((admitted) => refusalOf(admitted, this)) : refusalOf(admitting, this);
  };
  return async (request, params) => {
    const { headers } = request;
    const { toolkit } = params;
    const origin = headers.get("origin");
    let context: RequestContext | undefined;
    try {
      const refused = origin !== null || originPolicy.local ? refusedOrigin(request, origin, originPolicy) : undefined;
      if (refused) return httpError(403, refused);
      // Under a toolkit's path, open endpoints are also guarded: otherwise they would reveal which toolkits exist.
      const admitting = open && toolkit === undefined ? UNCHECKED : deployment.guard({ request, headers }, toolkit);
      const principal = isPromise(admitting) ? await admitting : admitting;
      if ("status" in principal) {
        return allowOrigin(httpError(principal.status, principal.message, principal.headers), origin);
      }
      const catalog = runtime.catalog.visibleTo(principal);
      if (toolkit !== undefined && !catalog.toolkits.has(toolkit))
        return allowOrigin(notFound(request, catalog, routes), origin);
      context = {
        request,
        headers,
        principal,
        toolkit,
        params,
        runtime: runtimeFor(catalog),
        execute,
        server,
        limits,
        challenge,
        recheck,
      };
      const responding = serve(context);
      return allowOrigin(isPromise(responding) ? await responding : responding, origin);
    } catch (error) {
      return unhandled(error, request, deployment, routes);
    } finally {
      context?.largeBody?.release();
    }
  };
}

/** Challenge for missing scopes: 401 for a caller without a credential, else 403 `insufficient_scope`. */
function stepUp(
  url: URL,
  settings: ResourceSettings,
  { id, scopes }: Principal,
  demanded: readonly string[],
  declared: readonly string[],
): Challenge {
  if (id === ANONYMOUS) {
    return { status: 401, headers: { "www-authenticate": challenge(url, settings, undefined, demanded) } };
  }
  // Also name the scopes that the caller has, because clients request exactly what the challenge lists (MCP 2025-11-25,
  // basic/authorization, Scope Challenge Handling: "both existing relevant scopes and newly required scopes").
  const relevant = [...settings.baseScopes, ...declared].filter((scope) => scopes.includes(scope));
  const all = [...new Set([...relevant, ...demanded])];
  return { status: 403, headers: { "www-authenticate": challenge(url, settings, "insufficient_scope", all) } };
}

/** The caller of an open endpoint, whose credential is not checked: no toolkit is visible to it. */
const UNCHECKED: Principal = { id: ANONYMOUS, scopes: [], reach: [], toolkits: [] };

/**
 * Handles requests that match no route: sign-in, CORS preflights, and 404 or 405 for callers whom the guard admits.
 */
async function unmatched(c: Context, deployment: Deployment, routes: Routes): Promise<Response> {
  const request = c.req.raw;
  const path = getPath(request);
  const { httpError } = routes.protocolOf(path);
  const signIn = deployment.signIn?.fetch(request);
  if (signIn) return signIn;
  const located = locate(path, deployment.runtime.catalog.toolkits);
  const document = located.toolkit === undefined ? deployment.documents?.serve(request, located.path) : undefined;
  if (document) return document;
  const at = new URL(request.url).origin;
  const [issuer] = deployment.resource.issuers(at);
  const place = { origin: at, issuer, hasSignIn: deployment.signIn !== undefined };
  if (located.path === METADATA_PATH && issuer !== undefined) {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: METADATA_CORS });
    return json({ message: "Only GET and HEAD are allowed here" }, 405, { allow: "GET, HEAD" });
  }
  // No credential is needed: clients look here before they have one, and take a 401 for a document that is not public.
  if (WELL_KNOWN.test(path)) {
    const isOfOAuth = issuer === undefined && /\/(oauth|openid)-[a-z-]+/.test(path);
    return httpError(404, isOfOAuth ? `${NOTHING}. ${wayIn(place)}` : NOTHING, ANY_ORIGIN);
  }
  const noOAuth = noSignIn(request.method, path, place);
  if (noOAuth) return noOAuth;
  const { headers } = request;
  const origin = headers.get("origin");
  const refused = refusedOrigin(request, origin, deployment.originPolicy);
  if (refused) return httpError(403, refused);
  const preflightResponse = preflight(request);
  if (preflightResponse) return allowOrigin(preflightResponse, origin);
  if (path === "/") return notFound(request, deployment.runtime.catalog, routes);
  const admitted = await deployment.guard({ request, headers }, located.toolkit);
  if ("status" in admitted) return allowOrigin(httpError(admitted.status, admitted.message, admitted.headers), origin);
  return allowOrigin(notFound(request, deployment.runtime.catalog.visibleTo(admitted), routes), origin);
}

/**
 * 404, or 405 with the methods that the path allows (RFC 9110, section 15.5.6).
 *
 * @param catalog as the caller sees it: under a toolkit that is hidden from the caller, no path exists
 */
function notFound(request: Request, catalog: Catalog, { router, protocolOf }: Routes): Response {
  const path = getPath(request);
  const methods = router.methodsOf(locate(path, catalog.toolkits).path);
  const { httpError } = protocolOf(path);
  // A path with parameters has its methods for every toolkit name, including those that do not exist.
  if (methods.length === 0 || methods.includes(request.method)) return httpError(404, NOTHING);
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return httpError(405, `${request.method} is not allowed here`, { allow: allowed.join(", ") });
}

const NOTHING = "Nothing is served at this path";

/** Finds a protocol by the first segment of a path (`mcp`, `api`), or by the second after any toolkit's name. */
function protocolFinder(protocols: readonly Protocol[]): Routes["protocolOf"] {
  // If two protocols have the same segment, the first one counts.
  const bySegment = new Map(
    protocols
      .toReversed()
      .flatMap((protocol) => protocol.endpoints.map(({ path }) => [path.split("/")[1], protocol] as const)),
  );
  return (path) => {
    const [, first, second] = path.split("/", 3);
    return bySegment.get(first) ?? bySegment.get(second) ?? oxp;
  };
}
