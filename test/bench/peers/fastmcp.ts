/**
 * fastmcp's class for edge runtimes, one server per isolate. It converts only zod schemas to JSON Schema, and supports
 * neither structured content nor output schemas.
 */
import { EdgeFastMCP } from "fastmcp/edge";
import { z } from "zod";
import { DESCRIPTION, type Env, SERVER, type Terms, toolNames } from "./tools.ts";

const TOOL = {
  description: DESCRIPTION,
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }: Terms) => String(a + b),
};

function serverOf(env: Env): EdgeFastMCP {
  const server = new EdgeFastMCP(SERVER);
  for (const name of toolNames(env)) server.addTool({ ...TOOL, name });
  return server;
}

let server: EdgeFastMCP | undefined;

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    server ??= serverOf(env);
    return server.fetch(request);
  },
};
