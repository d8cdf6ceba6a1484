/** The shape of an error at a path, as expected by a client that knows only its own protocol. */
import * as v from "valibot";
import { RpcResponse } from "./opentool.ts";
import { shapeOf } from "./oxp-shapes.ts";

/** MCP 2025-11-25, schema, JSONRPCErrorResponse: the id is omitted if none could be read. */
export const McpError = v.strictObject({
  jsonrpc: v.literal("2.0"),
  id: v.optional(v.union([v.string(), v.number()])),
  error: v.strictObject({
    code: v.pipe(v.number(), v.integer()),
    message: v.pipe(v.string(), v.minLength(1)),
    data: v.optional(v.unknown()),
  }),
});

export function shapeAt(path: string, status: number): v.GenericSchema {
  if (/^(\/[^/]+)?\/mcp/.test(path)) return McpError;
  if (/^(\/[^/]+)?\/opentool/.test(path)) return RpcResponse;
  return shapeOf(status);
}
