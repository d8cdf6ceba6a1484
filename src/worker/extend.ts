/**
 * The Worker of a fork that has a `tools/worker.ts`: its middleware and routes see each request first, then the app
 * does; its other handlers stand beside that. Only such a fork bundles this file.
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
  app.onError((error) => {
    // Hono's HTTPException, whichever copy of it was thrown.
    if ("getResponse" in error) return error.getResponse();
    parts.runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
    return json({ message: "Internal error" }, 500);
  });
  routes(app, { authenticate: authenticate(parts) });
  app.all("*", async (c) => {
    const { raw } = c.req;
    // A middleware that read the body has used it up; Hono kept what it read.
    const body = raw.bodyUsed ? await c.req.arrayBuffer() : undefined;
    const response = await trivet.fetch(body === undefined ? raw : new Request(raw, { body }));
    // With the headers that a middleware has set on the context.
    return c.newResponse(response.body, response);
  });
  // Builds Hono's matcher, after which registering throws: what came behind the app would never be served.
  app.router.match("GET", "/");
  return app.fetch;
}

/** Admits whoever may call tools, under the same limits, and tells the handlers behind it who that is. */
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
