/**
 * Cloudflare's agents: the stateless `createMcpHandler` of `agents/mcp/server`, one handler per isolate, which needs a
 * server of the official SDK per request. No option makes it answer revisions before 2026-07-28 with JSON.
 */
import { McpServer } from "@modelcontextprotocol/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { createMcpHandler } from "agents/mcp/server";
import * as v from "valibot";
import { DESCRIPTION, type Env, SERVER, sumOf, toolNames } from "./tools.ts";

const TOOL = {
  description: DESCRIPTION,
  inputSchema: toStandardJsonSchema(v.object({ a: v.number(), b: v.number() })),
  outputSchema: toStandardJsonSchema(v.object({ result: v.number() })),
};

type Handler = ReturnType<typeof createMcpHandler>;

function handlerOf(env: Env): Handler {
  const names = toolNames(env);
  return createMcpHandler(() => {
    const server = new McpServer(SERVER);
    for (const name of names) server.registerTool(name, TOOL, sumOf);
    return server;
  });
}

let handler: Handler | undefined;

export default {
  fetch(request: Request, env: Env, context: Parameters<Handler>[2]): Promise<Response> {
    handler ??= handlerOf(env);
    return handler(request, env, context);
  },
};
