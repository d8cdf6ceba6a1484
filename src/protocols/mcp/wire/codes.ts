/** MCP's error codes, and the type of a reply. */

export const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Session not found. The official servers send this code with their 404. */
  unknownSession: -32001,
  /** A call that timed out, before 2026-07-28. MCP defines no code for it. */
  timeout: -32003,
  /** 2026-07-28, basic/index, Error Codes. */
  headerMismatch: -32020,
  missingCapability: -32021,
  /** 2025-11-25, server/resources, Error Handling. */
  unknownResource: -32002,
  unsupportedVersion: -32022,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The HTTP status and headers of a reply, if they are not the default. */
export interface StatusAndHeaders {
  readonly status?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
}

export type Rendered = Reply & StatusAndHeaders;

export type Reply = { readonly result: Record<string, unknown> } | { readonly error: RpcError };

export function error(code: number, message: string, data?: unknown): Reply {
  return { error: data === undefined ? { code, message } : { code, message, data } };
}
