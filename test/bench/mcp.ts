/** Builds the requests of an MCP client, for both eras. */

/** `legacy`: revisions up to 2025-11-25, called without a handshake. `modern`: 2026-07-28. */
export type Era = "legacy" | "modern";

/** How requests differ between servers. */
export interface Way {
  /** Value of `MCP-Protocol-Version`: the newest of its era that the server supports. */
  readonly version: string;
  readonly accept: string;
}

/** The Accept header that every client must send (basic/transports, Sending Messages to the Server). */
export const BOTH = "application/json, text/event-stream";
export const LEGACY: Way = { version: "2025-11-25", accept: BOTH };
export const MODERN: Way = { version: "2026-07-28", accept: BOTH };

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN.version,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface McpRequest {
  readonly method: "POST";
  readonly path: "/mcp";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export function mcpRequest(
  { version, accept }: Way,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): McpRequest {
  const isModern = version === MODERN.version;
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  return {
    method: "POST",
    path: "/mcp",
    headers: {
      accept,
      "mcp-protocol-version": version,
      ...(isModern && { "mcp-method": method, ...name }),
      ...headers,
    },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: isModern ? { ...params, _meta: { ...META, ...(params._meta as object | undefined) } } : params,
    },
  };
}

/** Turns a request into options for `fetch`. */
export function fetchInit({ method, headers, body }: McpRequest): {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  return { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}
