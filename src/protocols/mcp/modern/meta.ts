/** Keys of `_meta`, and the members that every result has: its type, the server, and how long it may be cached. */

import type { ServerInfo } from "../../../http/request-context.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";

/** Keys of request metadata (2026-07-28, basic/index, `_meta`). */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/**
 * How long a client may cache a listing, in milliseconds. Short, because a deployment that changes the listing cannot
 * reach every client at once. `private`, because a listing may depend on the principal.
 */
export const CACHING = { ttlMs: 60_000, cacheScope: "private" } as const;

/**
 * The last members of a listing, as JSON text: a listing is never parsed, so {@link finish} cannot add them. Listings
 * and `server/discover` describe the server in full. Other results have only the two members that are required, so that
 * they do not contain its icons.
 */
export function listingEnd(server: ServerInfo): string {
  const meta = { [META.serverInfo]: server };
  return `,"resultType":"complete",${JSON.stringify({ ...CACHING, _meta: meta }).slice(1, -1)}`;
}

/** Adds the type and the server, which every result must have (2026-07-28, basic/index, Responses). */
export function finish(reply: MethodReply, { context: { server } }: Exchange): MethodReply {
  if (!("result" in reply)) return reply;
  const { result, status, headers } = reply;
  const members = JSON.stringify(result).slice(1, -1);
  // Most results have neither member yet and are serialized next anyway, so add the members as text.
  if (result._meta === undefined && result.resultType === undefined && members !== "") {
    return { resultText: `{"resultType":"complete",${members},"_meta":${serverInfoMeta(server)}}`, status, headers };
  }
  const _meta = { ...(result._meta as object), ...JSON.parse(serverInfoMeta(server)) };
  return { result: { resultType: "complete", ...result, _meta }, status, headers };
}

const serverInfoMetas = new WeakMap<ServerInfo, string>();

/** `_meta` with the server's name and version, as JSON text. */
function serverInfoMeta(server: ServerInfo): string {
  const known = serverInfoMetas.get(server);
  if (known !== undefined) return known;
  const { name, version } = server;
  const made = JSON.stringify({ [META.serverInfo]: { name, version } });
  serverInfoMetas.set(server, made);
  return made;
}
