/** The connection to an MCP server, and how this client names itself. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Server } from "./connection.ts";

export const INFO = { name: "trivet-call", version: "1.0.0" };

/** How long the server may take to hear that a call is cancelled. */
const FAREWELL_MS = 2_000;

/** A transport with the caller's key. When it is closed, what it has to tell the server is sent first. */
export function transportTo({ base, key, fetch }: Server): StreamableHTTPClientTransport {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const told = new Set<Promise<unknown>>();
  const telling: Server["fetch"] = (url, { signal, ...init } = {}) => {
    // A notification: its answer is empty. Before 2026-07-28, only this cancels a call.
    const isTold = typeof init.body === "string" && init.body.includes('"method":"notifications/');
    if (!isTold) return fetch(url, { ...init, ...(signal && { signal }) });
    const sent = fetch(url, { ...init, signal: AbortSignal.timeout(FAREWELL_MS) });
    told.add(sent);
    sent.finally(() => told.delete(sent)).catch(() => {});
    return sent;
  };
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
    fetch: telling,
    requestInit: { headers },
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await Promise.allSettled(told);
    await close();
  };
  return transport;
}
