/** Builds the Hono app from its parts: mounts every protocol on the bare paths and under each toolkit. */
import type { Context } from "hono";
import { HonoBase as Hono } from "hono/hono-base";
import { getPath } from "hono/utils/url";
import { type Neighbours, refusedOrigin } from "./access/origin.ts";
import type { Principal } from "./core/definition.ts";
import type { Host } from "./core/host.ts";
import { describeError } from "./core/log.ts";
import { home } from "./pages/home.ts";
import type { Endpoint, Limits, Protocol, ServerInfo } from "./protocols/http.ts";
import { mcp } from "./protocols/mcp/routes.ts";
import { opentool } from "./protocols/opentool/routes.ts";
import { oxp } from "./protocols/oxp/routes.ts";
import { StaticRouter } from "./routing.ts";

/** Everything that differs between deployments and tests. */
export interface Parts {
  readonly host: Host;
  readonly server: ServerInfo;
  readonly limits: Limits;
  readonly neighbours: Neighbours;
  readonly authenticate: (request: Request) => Principal | Promise<Principal>;
}

const PROTOCOLS: readonly Protocol[] = [oxp, mcp, opentool];

export function createApp(parts: Parts): Hono {
  const { toolkits } = parts.host.catalog;
  // Routing sees the path behind the toolkit, so that each endpoint is one static route however many toolkits there are.
  const app = new Hono({ router: new StaticRouter(), getPath: (request) => locate(getPath(request), toolkits).path });
  app.get("/", (c) => c.text(home(parts.server)));
  for (const protocol of PROTOCOLS) {
    for (const endpoint of protocol.endpoints) {
      app.on(endpoint.method, endpoint.path, server(parts, endpoint, protocol));
    }
  }
  app.notFound(notFound);
  app.onError((error, c) => {
    // Nothing above throws for what a caller does: this is a fault of ours, and says no more than that.
    parts.host.log({ level: "error", message: "unhandled", error: describeError(error) });
    return protocolOf(c.req.path).httpError(500, "Internal error");
  });
  return app;
}

/** `/calculator/tools` is `/tools` of the toolkit `calculator`; a first segment that is no toolkit's stays. */
function locate(asked: string, toolkits: ReadonlySet<string>): { path: string; toolkit: string | undefined } {
  // A slash at the end says nothing: addresses are often written down with one.
  const path = asked.replace(/([^/])\/$/, "$1");
  const end = path.indexOf("/", 1);
  const toolkit = end < 0 ? "" : path.slice(1, end);
  return toolkits.has(toolkit) ? { path: path.slice(end), toolkit } : { path, toolkit: undefined };
}

function server(parts: Parts, { serve }: Endpoint, { httpError }: Protocol) {
  const { host, server, limits, neighbours } = parts;
  return async (c: Context): Promise<Response> => {
    const request = c.req.raw;
    const refused = refusedOrigin(request, neighbours);
    if (refused) return httpError(403, refused);
    const { toolkit } = locate(getPath(request), host.catalog.toolkits);
    return serve({ request, principal: await parts.authenticate(request), toolkit, host, server, limits });
  };
}

/** 404, or 405 with what the path allows (RFC 9110, section 15.5.6). */
function notFound(c: Context): Response {
  const { path, method } = c.req;
  const protocol = protocolOf(path);
  const allowed = PROTOCOLS.flatMap(({ endpoints }) => endpoints)
    .filter((endpoint) => endpoint.path === path)
    .flatMap((endpoint) => (endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method]));
  if (path === "/") allowed.push("GET", "HEAD");
  if (allowed.length === 0) return protocol.httpError(404, "There is nothing at this path");
  return protocol.httpError(405, `${method} is not allowed here`, { allow: allowed.join(", ") });
}

/** Whose shape an error takes where no endpoint was reached. */
function protocolOf(path: string): Protocol {
  if (/^(\/[^/]+)?\/mcp(\/|$)/.test(path)) return mcp;
  if (/^(\/[^/]+)?\/opentool(\/|$)/.test(path)) return opentool;
  return oxp;
}
