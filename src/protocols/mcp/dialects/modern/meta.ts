/** Keys of `_meta`, and what every result has: its kind, who made it, and how long it may be kept. */

import type { ServerInfo } from "../../../../http/request-context.ts";
import type { Exchange, MethodReply } from "../../transport/exchange.ts";

/** Keys of request metadata (2026-07-28, basic/index, `_meta`). */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/**
 * How long a client may keep a listing, in milliseconds. Short: a deployment that changes it cannot reach every client
 * at once. `private`, as a listing may depend on who asks.
 */
export const CACHING = { ttlMs: 60_000, cacheScope: "private" } as const;

/** What a listing ends with, which is never parsed to be signed. */
export function listingEnd({ name, version }: ServerInfo): string {
  const meta = { [META.serverInfo]: { name, version } };
  return `,"resultType":"complete",${JSON.stringify({ ...CACHING, _meta: meta }).slice(1, -1)}`;
}

/** Every result says what kind it is and who made it (2026-07-28, basic/index, Responses and `_meta`). */
export function signed(reply: MethodReply, { context: { server } }: Exchange): MethodReply {
  if (!("result" in reply)) return reply;
  const { result, status, headers } = reply;
  const members = JSON.stringify(result).slice(1, -1);
  // Made as text: most results have nothing of either, and are printed next.
  if (result._meta === undefined && result.resultType === undefined && members !== "") {
    return { resultText: `{"resultType":"complete",${members},"_meta":${signature(server)}}`, status, headers };
  }
  const _meta = { ...(result._meta as object), ...JSON.parse(signature(server)) };
  return { result: { resultType: "complete", ...result, _meta }, status, headers };
}

const signatures = new WeakMap<ServerInfo, string>();

/** `_meta` that says who answers, as JSON text. */
function signature(server: ServerInfo): string {
  const known = signatures.get(server);
  if (known !== undefined) return known;
  const { name, version } = server;
  const made = JSON.stringify({ [META.serverInfo]: { name, version } });
  signatures.set(server, made);
  return made;
}
