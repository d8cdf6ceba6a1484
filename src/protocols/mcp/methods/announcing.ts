/** Announces extensions of MCP in the server's capabilities. */
import { isRecord } from "../../../core/lib/json.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Exchange, Method } from "../transport/exchange.ts";

/**
 * Wraps the methods whose results have the server's capabilities, `server/discover` and `initialize`, so that these
 * announce an extension.
 *
 * @param settings of the extension, as announced
 * @param isFor    whether to announce it to the client of a request
 * @param more     capabilities to announce besides the extension
 */
export function announcing(
  plain: ReadonlyMap<string, Method>,
  extension: string,
  settings: object,
  isFor: (request: RpcRequest, exchange: Exchange) => boolean = () => true,
  more: object = {},
): [string, Method][] {
  const announce = (result: Readonly<Record<string, unknown>>) => {
    const { extensions, ...others } = result.capabilities as Record<string, unknown>;
    const all = { ...(isRecord(extensions) && extensions), [extension]: settings };
    return { ...result, capabilities: { ...others, ...more, extensions: all } };
  };
  return ["server/discover", "initialize"].flatMap((name) => {
    const method = plain.get(name);
    if (method === undefined) return [];
    const announced: Method = async (request, exchange) => {
      const reply = await method(request, exchange);
      if (!isFor(request, exchange)) return reply;
      if ("resultText" in reply)
        return { ...reply, resultText: JSON.stringify(announce(JSON.parse(reply.resultText))) };
      return "result" in reply ? { ...reply, result: announce(reply.result) } : reply;
    };
    return [[name, announced]];
  });
}
