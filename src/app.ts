/** Builds the Hono app from its parts: mounts every protocol on the bare paths and under each toolkit. */
import { type Context, Hono } from "hono";
import type { Principal } from "./core/definition.ts";
import type { Host } from "./core/execute.ts";
import { describeError } from "./core/log.ts";
import { home } from "./pages/home.ts";
import type { Endpoint, Limits, Protocol, ServerInfo } from "./protocols/http.ts";
import { mcp } from "./protocols/mcp/routes.ts";
import { opentool } from "./protocols/opentool/routes.ts";
import { oxp } from "./protocols/oxp/routes.ts";

/** Everything that differs between deployments and tests. */
export interface Parts {
  readonly host: Host;
  readonly server: ServerInfo;
  readonly limits: Limits;
  readonly authenticate: (request: Request) => Principal | Promise<Principal>;
}

const PROTOCOLS: readonly Protocol[] = [oxp, mcp, opentool];

export function createApp(parts: Parts): Hono {
  const app = new Hono();
  app.get("/", (c) => home(parts.server, new URL(c.req.url).origin));
  for (const protocol of PROTOCOLS) {
    for (const endpoint of protocol.endpoints) {
      const serve = server(parts, endpoint, protocol);
      app.on(endpoint.method, endpoint.path, serve);
      app.on(endpoint.method, `/:toolkit${endpoint.path}`, serve);
    }
  }
  app.notFound((c) => notFound(c, parts));
  app.onError((error, c) => {
    // Nothing above throws for what a caller does: this is a fault of ours, and says no more than that.
    parts.host.log({ level: "error", message: "unhandled", path: c.req.path, error: describeError(error) });
    return protocolOf(c.req.path).httpError(500, "Internal error");
  });
  return app;
}

function server(parts: Parts, endpoint: Endpoint, protocol: Protocol) {
  return async (c: Context): Promise<Response> => {
    const toolkit: string | undefined = c.req.param("toolkit");
    const { host, server, limits } = parts;
    if (toolkit !== undefined && !host.catalog.toolkits.has(toolkit)) {
      return protocol.httpError(404, `There is no toolkit "${toolkit}"`);
    }
    const request = c.req.raw;
    const principal = await parts.authenticate(request);
    return endpoint.serve({ request, url: new URL(request.url), principal, toolkit, host, server, limits });
  };
}

/** 404, or 405 with what the path allows (RFC 9110, section 15.5.6). */
function notFound(c: Context, parts: Parts): Response {
  const { path, method } = c.req;
  const protocol = protocolOf(path);
  const allowed = allowedOn(path, parts);
  if (allowed.length === 0) return protocol.httpError(404, "There is nothing at this path");
  return protocol.httpError(405, `${method} is not allowed here`, { allow: allowed.join(", ") });
}

function allowedOn(path: string, parts: Parts): string[] {
  const [, first = ""] = path.split("/", 2);
  const rest = parts.host.catalog.toolkits.has(first) ? path.slice(first.length + 1) : path;
  if (rest === "/") return path === "/" ? ["GET", "HEAD"] : [];
  const methods = PROTOCOLS.flatMap(({ endpoints }) => endpoints)
    .filter((endpoint) => endpoint.path === rest)
    .map((endpoint) => endpoint.method);
  return methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/** Whose shape an error takes where no endpoint was reached. */
function protocolOf(path: string): Protocol {
  if (/^(\/[^/]+)?\/mcp(\/|$)/.test(path)) return mcp;
  if (/^(\/[^/]+)?\/opentool(\/|$)/.test(path)) return opentool;
  return oxp;
}
