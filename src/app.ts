/** Builds the Hono app from its parts: guards, then every protocol on the bare paths and under each toolkit. */
import type { Context } from "hono";
import { HonoBase as Hono } from "hono/hono-base";
import type { H, RouterRoute } from "hono/types";
import { getPath } from "hono/utils/url";
import type { Guard, Rejection } from "./access/guard.ts";
import { allowOrigin, type OriginPolicy, preflight, refusedOrigin } from "./access/origin.ts";
import {
  challenge,
  isMetadataPath,
  METADATA_PATH,
  type ResourceSettings,
  resourceMetadata,
} from "./access/protected-resource.ts";
import type { SignIn } from "./access/sign-in.ts";
import type { Catalog } from "./core/catalog/catalog.ts";
import { describeError } from "./core/lib/log.ts";
import { isPromise } from "./core/lib/maybe-promise.ts";
import type { Principal } from "./core/model/principal.ts";
import { ANONYMOUS } from "./core/model/principal.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import type {
  Challenge,
  Endpoint,
  Limits,
  MaybeResponse,
  Protocol,
  RequestContext,
  ServerInfo,
} from "./http/request-context.ts";
import { json } from "./http/response.ts";
import { type Located, type PathParams, ToolkitRouter } from "./http/toolkit-router.ts";
import { home } from "./pages/home.ts";
import { mcp } from "./protocols/mcp/routes.ts";
import { opentool } from "./protocols/opentool/routes.ts";
import { oxp } from "./protocols/oxp/routes.ts";

/** Everything that differs between deployments and tests. */
export interface Parts {
  readonly runtime: Runtime;
  readonly server: ServerInfo;
  readonly limits: Limits;
  readonly originPolicy: OriginPolicy;
  readonly guard: Guard;
  readonly resource: ResourceSettings;
  readonly signIn: SignIn | undefined;
}

/** Not the Hono app: what a fork registered there would never run. Its own routes are in `tools/worker.ts`. */
export interface App {
  fetch(request: Request): MaybeResponse;
}

const PROTOCOLS: readonly Protocol[] = [oxp, mcp, opentool];
type AppRouter = ToolkitRouter<[H, RouterRoute]>;
const FOR_ALL = { "access-control-allow-origin": "*" };
const METADATA_CORS = { ...FOR_ALL, "access-control-allow-methods": "GET", "access-control-allow-headers": "*" };

export function createApp(parts: Parts): App {
  const { toolkits } = parts.runtime.catalog;
  const router: AppRouter = new ToolkitRouter((path) => locate(path, toolkits));
  const app = new Hono({ router });
  const straight = new WeakMap<H, Serve>();
  app.get("/", (c) => c.text(home(parts.server), 200, { "x-content-type-options": "nosniff" }));
  app.get(METADATA_PATH, (c) => json(resourceMetadata(new URL(c.req.url), parts.resource), 200, FOR_ALL));
  for (const protocol of PROTOCOLS) {
    for (const endpoint of protocol.endpoints) {
      const serve = server(parts, endpoint, protocol, router);
      const handler: H = (c) => serve(c.req.raw, c.req.param());
      straight.set(handler, serve);
      app.on(endpoint.method, endpoint.path, handler);
    }
  }
  app.notFound((c) => elsewhere(c, parts, router));
  app.onError((error, c) => unhandled(error, c.req.raw, parts));
  return {
    // Hono's context, which no endpoint looks at, and its promises are a sixth of what a call allocates and 3% of its
    // time: where its router finds an endpoint and nothing beside it, that is given the request as it is.
    fetch(request) {
      const [found] = router.match(request.method, getPath(request));
      const only = found.length === 1 ? found[0] : undefined;
      const serve = only && straight.get(only[0][0]);
      return serve ? serve(request, only[1]) : app.fetch(request);
    },
  };
}

/** An endpoint with what goes before it: who may call, and from where. */
type Serve = (request: Request, params: PathParams) => Promise<Response>;

/** Nothing throws for what a caller does: this is a fault of ours, and says no more than that. */
function unhandled(error: unknown, request: Request, { runtime }: Parts): Response {
  runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
  return allowOrigin(protocolOf(getPath(request)).httpError(500, "Internal error"), request.headers.get("origin"));
}

/** What a path asks for, and under which toolkit: a first segment that is no toolkit's stays. */
export function locate(asked: string, toolkits: ReadonlySet<string>): Located {
  // A slash at the end says nothing: addresses are often written down with one.
  const path = asked.length > 1 && asked.endsWith("/") && !asked.endsWith("//") ? asked.slice(0, -1) : asked;
  const end = path.indexOf("/", 1);
  if (end < 0) return { path, toolkit: undefined };
  const toolkit = path.slice(1, end);
  const rest = path.slice(end);
  // The metadata is open to all: below a toolkit it would tell which toolkits there are.
  if (toolkits.has(toolkit) && rest !== METADATA_PATH) return { path: rest, toolkit };
  return { path: isMetadataPath(path) ? METADATA_PATH : path, toolkit: undefined };
}

function server(parts: Parts, { serve, open }: Endpoint, { httpError }: Protocol, router: AppRouter): Serve {
  const { runtime, server, limits, originPolicy, resource } = parts;
  // One runtime for all who see the same.
  const runtimes = new WeakMap<Catalog, Runtime>([[runtime.catalog, runtime]]);
  const runtimeFor = (catalog: Catalog): Runtime => {
    const known = runtimes.get(catalog);
    if (known) return known;
    const made = { ...runtime, catalog };
    runtimes.set(catalog, made);
    return made;
  };
  // Shared by all requests: no closure is made for each.
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
    const admitting = parts.guard(this, this.toolkit, times);
    return isPromise(admitting) ? admitting.then((admitted) => refusalOf(admitted, this)) : refusalOf(admitting, this);
  };
  return async (request, params) => {
    const { headers } = request;
    const { toolkit } = params;
    const origin = headers.get("origin");
    try {
      const refused = refusedOrigin(request, origin, originPolicy);
      if (refused) return httpError(403, refused);
      // An open endpoint is not open under a toolkit's name: it would tell which toolkits there are.
      const admitting = open && toolkit === undefined ? NOBODY : parts.guard({ request, headers }, toolkit);
      const principal = isPromise(admitting) ? await admitting : admitting;
      if ("status" in principal) {
        return allowOrigin(httpError(principal.status, principal.message, principal.headers), origin);
      }
      const catalog = runtime.catalog.visibleTo(principal);
      if (toolkit !== undefined && !catalog.toolkits.has(toolkit))
        return allowOrigin(nothing(request, catalog, router), origin);
      const seen = runtimeFor(catalog);
      const context = {
        request,
        headers,
        principal,
        toolkit,
        params,
        runtime: seen,
        server,
        limits,
        challenge,
        recheck,
      };
      const responding = serve(context);
      return allowOrigin(isPromise(responding) ? await responding : responding, origin);
    } catch (error) {
      return unhandled(error, request, parts);
    }
  };
}

/** Who has shown nothing yet is asked to; who has, to come back with more. */
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
  // With what it has already: clients ask for just what they are told (2025-11-25, basic/authorization, Scope Challenge
  // Handling: "both existing relevant scopes and newly required scopes").
  const relevant = [...settings.baseScopes, ...declared].filter((scope) => scopes.includes(scope));
  const all = [...new Set([...relevant, ...demanded])];
  return { status: 403, headers: { "www-authenticate": challenge(url, settings, "insufficient_scope", all) } };
}

const NOBODY: Principal = { id: ANONYMOUS, scopes: [], reach: [], toolkits: [] };

/**
 * What no route matches: a browser's questions, the sign-in's own endpoints, and nothing, for those who may know that.
 */
async function elsewhere(c: Context, parts: Parts, router: AppRouter): Promise<Response> {
  const request = c.req.raw;
  const path = getPath(request);
  const { httpError } = protocolOf(path);
  const signIn = parts.signIn?.fetch(request);
  if (signIn) return signIn;
  if (locate(path, parts.runtime.catalog.toolkits).path === METADATA_PATH) {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: METADATA_CORS });
    return json({ message: "Only GET is served here" }, 405, { allow: "GET, HEAD" });
  }
  const { headers } = request;
  const origin = headers.get("origin");
  const refused = refusedOrigin(request, origin, parts.originPolicy);
  if (refused) return httpError(403, refused);
  const allowed = preflight(request);
  if (allowed) return allowOrigin(allowed, origin);
  if (path === "/") return nothing(request, parts.runtime.catalog, router);
  const admitted = await parts.guard({ request, headers }, locate(path, parts.runtime.catalog.toolkits).toolkit);
  if ("status" in admitted) return allowOrigin(httpError(admitted.status, admitted.message, admitted.headers), origin);
  return allowOrigin(nothing(request, parts.runtime.catalog.visibleTo(admitted), router), origin);
}

/** 404, or 405 with what the path allows (RFC 9110, section 15.5.6), as far as the path exists for whoever asks. */
function nothing(request: Request, catalog: Catalog, router: AppRouter): Response {
  const asked = getPath(request);
  const methods = router.methodsOf(locate(asked, catalog.toolkits).path);
  const { httpError } = protocolOf(asked);
  // A path with parameters has a method for any toolkit in it, also for one that does not exist.
  if (methods.length === 0 || methods.includes(request.method)) return httpError(404, "There is nothing at this path");
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return httpError(405, `${request.method} is not allowed here`, { allow: allowed.join(", ") });
}

/** By the first segment of their paths: `/mcp`, `/opentool`, `/tools`. */
const BY_SEGMENT = new Map(
  PROTOCOLS.flatMap((protocol) => protocol.endpoints.map(({ path }) => [path.split("/")[1], protocol] as const)),
);

/** The protocol that an error is rendered in if no endpoint was reached, bare or under a toolkit. */
function protocolOf(path: string): Protocol {
  const [, first, second] = path.split("/", 3);
  return BY_SEGMENT.get(first) ?? BY_SEGMENT.get(second) ?? oxp;
}
