/** mcp-lite on Hono, as in its README: one server and one transport per isolate, no session adapter. */
import { toJsonSchema } from "@valibot/to-json-schema";
import { Hono } from "hono";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import * as v from "valibot";
import { DESCRIPTION, type Env, SERVER, sumOf, toolNames } from "./tools.ts";

const TOOL = {
  description: DESCRIPTION,
  inputSchema: v.object({ a: v.number(), b: v.number() }),
  outputSchema: v.object({ result: v.number() }),
  handler: sumOf,
};

function appOf(env: Env): Hono {
  const server = new McpServer({
    ...SERVER,
    schemaAdapter: (schema) => toJsonSchema(schema as v.GenericSchema),
  });
  for (const name of toolNames(env)) server.tool(name, TOOL);
  const handle = new StreamableHttpTransport().bind(server);
  return new Hono().all("/mcp", (c) => handle(c.req.raw));
}

let app: Hono | undefined;

export default {
  fetch(request: Request, env: Env): Response | Promise<Response> {
    app ??= appOf(env);
    return app.fetch(request);
  },
};
