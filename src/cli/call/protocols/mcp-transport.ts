/** The connection to an MCP server, and how this client names itself. */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Server } from "./connection.ts";

export const INFO = { name: "trivet-call", version: "1.0.0" };

/** How long the server may take to accept a notification, such as that a call is cancelled. */
const NOTIFICATION_MS = 2_000;

/** A transport with the caller's key. Before it closes, it finishes sending notifications. */
export function transportTo({ base, key, fetch }: Server): StreamableHTTPClientTransport {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const notifying = new Set<Promise<unknown>>();
  const send: Server["fetch"] = (url, { signal, ...init } = {}) => {
    // Before 2026-07-28, only a notification cancels a call. The signal, aborted by then, must not stop the
    // notification.
    const isNotification = typeof init.body === "string" && init.body.includes('"method":"notifications/');
    if (!isNotification) return fetch(url, { ...init, ...(signal && { signal }) });
    const sent = fetch(url, { ...init, signal: AbortSignal.timeout(NOTIFICATION_MS) });
    notifying.add(sent);
    sent.finally(() => notifying.delete(sent)).catch(() => {});
    return sent;
  };
  const transport = new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
    fetch: send,
    requestInit: { headers },
  });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await Promise.allSettled(notifying);
    await close();
  };
  return transport;
}
