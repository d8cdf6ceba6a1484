/** Requests of an MCP client, in both eras. */

/** Revisions up to 2025-11-25, asked without a handshake; 2026-07-28. */
export type Era = "legacy" | "modern";

/** What differs from one server to the next. */
export interface Way {
  /** Value of `MCP-Protocol-Version`: the newest of its era that the server takes. */
  readonly version: string;
  readonly accept: string;
}

/** What every client may send (basic/transports, Sending Messages to the Server). */
export const BOTH = "application/json, text/event-stream";
export const LEGACY: Way = { version: "2025-11-25", accept: BOTH };
export const MODERN: Way = { version: "2026-07-28", accept: BOTH };

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN.version,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

export interface Asked {
  readonly method: "POST";
  readonly path: "/mcp";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

export function asked(
  { version, accept }: Way,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Asked {
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
    body: { jsonrpc: "2.0", id: 1, method, params: isModern ? { ...params, _meta: META } : params },
  };
}

/** The same for `fetch`. */
export function fetched({ method, headers, body }: Asked): {
  readonly method: "POST";
  readonly headers: Record<string, string>;
  readonly body: string;
} {
  return { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}
