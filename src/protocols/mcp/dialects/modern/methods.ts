/** MCP's methods in 2026-07-28. What earlier revisions had and this lacks, is absent. */
import { isPromise } from "../../../../core/lib/maybe-promise.ts";
import type { RpcRequest } from "../../../json-rpc.ts";
import { complete } from "../../methods/completion.ts";
import { getPromptOf, listPrompts } from "../../methods/prompts.ts";
import { listResources, listTemplates, readResourceOf } from "../../methods/resources.ts";
import { callTool, listTools } from "../../methods/tools.ts";
import type { Exchange, Method } from "../../transport/exchange.ts";
import { SERVER_CAPABILITIES } from "../../wire/server-capabilities.ts";
import { CACHING, signed } from "./results.ts";

/** @param supported revisions that this server serves, of every era */
export function modernMethods(supported: () => readonly string[]): ReadonlyMap<string, Method> {
  const methods: [string, Method][] = [
    [
      "server/discover",
      () => ({ result: { supportedVersions: supported(), capabilities: SERVER_CAPABILITIES, ...CACHING } }),
    ],
    ["tools/list", listTools],
    ["tools/call", callTool],
    ["prompts/list", listPrompts],
    ["prompts/get", getPromptOf],
    ["resources/list", listResources],
    ["resources/templates/list", listTemplates],
    ["resources/read", readResourceOf],
    ["completion/complete", complete],
  ];
  return new Map(methods.map(([name, method]) => [name, signing(method)]));
}

function signing(method: Method): Method {
  return (request: RpcRequest, exchange: Exchange) => {
    const reply = method(request, exchange);
    return isPromise(reply) ? reply.then((made) => signed(made, exchange)) : signed(reply, exchange);
  };
}
