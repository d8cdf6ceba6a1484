/**
 * Puts what `tools/worker.ts` defines before the app: its middleware and routes see each request first. Its other
 * handlers stand beside them. Only a fork that has the file bundles this one.
 */
import { Hono, type MiddlewareHandler } from "hono";
import { refusedOrigin } from "../access/origin.ts";
import { type App, createApp, type Parts } from "../app.ts";
import { describeError } from "../core/lib/log.ts";
import { json } from "../http/response.ts";
import type { Authenticated, OwnWorker } from "../tool.ts";

/** @returns what stands in for `createApp` */
export function extendedBy<Env extends object, Message>({ routes, ...handlers }: OwnWorker<Env, Message>) {
  return (parts: Parts) => {
    const app = createApp(parts);
    return { ...handlers, fetch: routes ? ownFirst(routes, app, parts) : app.fetch };
  };
}

function ownFirst<Env extends object, Message>(
  routes: NonNullable<OwnWorker<Env, Message>["routes"]>,
  trivet: App,
  parts: Parts,
) {
  const app = new Hono<{ Bindings: Env }>();
  app.onError((error, c) => {
    // Hono's HTTPException says itself what to answer.
    if ("getResponse" in error) {
      const response = error.getResponse();
      return c.newResponse(response.body, response);
    }
    parts.runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
    return json({ message: "Internal error" }, 500);
  });
  routes(app, { authenticate: authenticate(parts) });
  app.all("*", async (c) => {
    const { raw } = c.req;
    // If a middleware has read the body, Hono still has it.
    const body = raw.bodyUsed ? await c.req.arrayBuffer() : undefined;
    const response = await trivet.fetch(body === undefined ? raw : new Request(raw, { body }));
    // Adds the headers that a middleware has set on the context.
    return c.newResponse(response.body, response);
  });
  // Builds Hono's matcher. Registering throws from now on: a route behind the app would never be served.
  app.router.match("GET", "/");
  return app.fetch;
}

/** Admits whoever may call tools, under the same limits, and tells the handlers after it who that is. */
function authenticate({ guard, originPolicy }: Parts): MiddlewareHandler<Authenticated> {
  return async (c, next) => {
    const request = c.req.raw;
    const { headers } = request;
    const refused = refusedOrigin(request, headers.get("origin"), originPolicy);
    if (refused) return json({ message: refused }, 403);
    const admitted = await guard({ request, headers }, undefined);
    if ("status" in admitted) return json({ message: admitted.message }, admitted.status, admitted.headers);
    c.set("principal", admitted);
    return next();
  };
}
