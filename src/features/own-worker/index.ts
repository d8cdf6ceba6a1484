/**
 * Runs the middleware and routes of `tools/worker.ts` before the app, and adds its other handlers to the Worker. Only
 * forks that have that file bundle this one.
 */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { locate } from "../../access/locate.ts";
import { describeError } from "../../core/lib/log.ts";
import type { App, Deployment } from "../../deployment.ts";
import { allowOrigin, preflight, refusedOrigin } from "../../http/origin.ts";
import { json } from "../../http/response.ts";
import type { Feature } from "../feature.ts";
import type { Authenticated, OwnWorker } from "./own-worker.ts";

/** @param own what `tools/worker.ts` exports */
export function feature<Env extends object, Message>({ routes, ...handlers }: OwnWorker<Env, Message>): Feature {
  return {
    aroundWorker: (create) => (deployment) => {
      const app = create(deployment);
      return { ...handlers, fetch: routes ? withRoutes(routes, app, deployment) : app.fetch };
    },
  };
}

function withRoutes<Env extends object, Message>(
  routes: NonNullable<OwnWorker<Env, Message>["routes"]>,
  trivet: App,
  deployment: Deployment,
) {
  const app = new Hono<{ Bindings: Env }>();
  const unhandled = (error: unknown): Response => {
    deployment.runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
    return json({ message: "Internal error" }, 500);
  };
  app.onError((error, c) => {
    // Hono's HTTPException carries its own response.
    if ("getResponse" in error) {
      const response = error.getResponse();
      return c.newResponse(response.body, response);
    }
    return unhandled(error);
  });
  routes(app, { authenticate: authenticate(deployment) });
  app.all("*", async (c) => {
    const { raw } = c.req;
    // If middleware has read the body, Hono has cached it.
    const body = raw.bodyUsed ? await c.req.arrayBuffer() : undefined;
    const response = await trivet.fetch(body === undefined ? raw : new Request(raw, { body }));
    // Adds the headers that middleware has set on the context.
    return c.newResponse(response.body, response);
  });
  // Builds Hono's matcher, after which registering throws: a route added later would never be reached.
  app.router.match("GET", "/");
  // Hono passes on a thrown value that is not an Error, such as a string.
  return async (...request: Parameters<typeof app.fetch>): Promise<Response> => {
    try {
      return await app.fetch(...request);
    } catch (error) {
      return unhandled(error);
    }
  };
}

/**
 * Middleware that admits callers who may call tools, with the same rate limits, and sets `principal`. Below a toolkit's
 * name it admits those who may call that toolkit's tools, as the server's own endpoints do.
 */
function authenticate({ guard, originPolicy, runtime: { catalog } }: Deployment): MiddlewareHandler<Authenticated> {
  return async (c, next) => {
    const request = c.req.raw;
    const { headers } = request;
    const origin = headers.get("origin");
    const refused = refusedOrigin(request, origin, originPolicy);
    if (refused) return json({ message: refused }, 403);
    // Browsers ask without a credential whether they may send one.
    const asked = preflight(request);
    if (asked) return shared(c, asked, origin);
    const { toolkit } = locate(c.req.path, catalog.toolkits);
    const admitted = await guard({ request, headers }, toolkit);
    if ("status" in admitted) {
      return shared(c, json({ message: admitted.message }, admitted.status, admitted.headers), origin);
    }
    if (toolkit !== undefined && !catalog.visibleTo(admitted).toolkits.has(toolkit)) {
      return shared(c, json({ message: "There is nothing at this path" }, 404), origin);
    }
    c.set("principal", admitted);
    await next();
    const response = shared(c, c.res, origin);
    // Hono would put the old headers over the new ones.
    c.res = undefined;
    c.res = response;
  };
}

/** Lets the page that sent the request read the answer, unless the fork itself has said who may. */
function shared(c: Context, response: Response, origin: string | null): Response {
  const isSaid = [c.res, response].some(({ headers }) => headers.has("access-control-allow-origin"));
  return origin === null || isSaid ? response : allowOrigin(new Response(response.body, response), origin);
}
