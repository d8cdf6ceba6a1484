/** Requests to `/mcp` as a test writes them. */
import { exports } from "cloudflare:workers";

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly body: any;
}

export async function mcp(message: unknown, headers: Record<string, string> = {}, path = "/mcp"): Promise<McpAnswer> {
  const response = await exports.default.fetch(`http://trivet.test${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

export const request = (method: string, params?: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params });

export const call = (name: string, args: unknown = {}) => request("tools/call", { name, arguments: args });

/** @returns headers that carry on the session of a new handshake */
export async function handshake(protocolVersion = "2025-11-25"): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const { headers, body } = await mcp(request("initialize", params));
  const session = headers.get("mcp-session-id");
  if (session === null) throw new Error("no session was started");
  return { "mcp-session-id": session, "mcp-protocol-version": body.result.protocolVersion };
}
