/**
 * The official SDK, version 2, on Hono, with one server per request as its documentation requires. Its own fallback for
 * revisions before 2026-07-28 only answers with event streams, so those requests go to the transport with
 * `enableJsonResponse`, routed as the documentation describes for custom setups (`isLegacyRequest` before a strict
 * handler). The body is parsed once, as in `createMcpHonoApp`, but without the clone that it makes.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Hono } from "hono";
import * as v from "valibot";
import { DESCRIPTION, type Env, SERVER, sumOf, toolNames } from "./tools.ts";

const TOOL = {
  description: DESCRIPTION,
  inputSchema: toStandardJsonSchema(v.object({ a: v.number(), b: v.number() })),
  outputSchema: toStandardJsonSchema(v.object({ result: v.number() })),
};

function appOf(env: Env): Hono {
  const names = toolNames(env);
  const serverOf = () => {
    const server = new McpServer(SERVER);
    for (const name of names) server.registerTool(name, TOOL, sumOf);
    return server;
  };
  const modern = createMcpHandler(serverOf, { legacy: "reject" });

  return new Hono().all("/mcp", async (c) => {
    const parsedBody: unknown = await c.req.json();
    if (!(await isLegacyRequest(c.req.raw, parsedBody))) return modern.fetch(c.req.raw, { parsedBody });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await serverOf().connect(transport);
    return transport.handleRequest(c.req.raw, { parsedBody });
  });
}

let app: Hono | undefined;

export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    app ??= appOf(env);
    return app.fetch(request);
  },
};
