/** The connection to an MCP server, and how this client names itself. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Server } from "./connection.ts";

export const INFO = { name: "trivet-call", version: "1.0.0" };

/** A transport with the caller's key. */
export function transportTo({ base, key, fetch }: Server): StreamableHTTPClientTransport {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { fetch, requestInit: { headers } });
}
