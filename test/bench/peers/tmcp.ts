/**
 * tmcp with its HTTP transport and its adapter for valibot: one server and one transport per isolate, without GET
 * streams, as its documentation recommends if connections are short. It answers every POST with a stream.
 */
import { ValibotJsonSchemaAdapter } from "@tmcp/adapter-valibot";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import * as v from "valibot";
import { DESCRIPTION, type Env, SERVER, sumOf, toolNames } from "./tools.ts";

const TOOL = {
  description: DESCRIPTION,
  schema: v.object({ a: v.number(), b: v.number() }),
  outputSchema: v.object({ result: v.number() }),
};

function transportOf(env: Env): HttpTransport {
  const server = new McpServer(SERVER, {
    adapter: new ValibotJsonSchemaAdapter(),
    capabilities: { tools: {} },
  });
  for (const name of toolNames(env)) server.tool({ ...TOOL, name }, sumOf);
  return new HttpTransport(server, { path: "/mcp", disableSse: true });
}

let transport: HttpTransport | undefined;

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    transport ??= transportOf(env);
    return (await transport.respond(request)) ?? new Response(null, { status: 404 });
  },
};
