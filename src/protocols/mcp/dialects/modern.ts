/** MCP's methods in 2026-07-28: stateless, each request on its own. What earlier revisions had and this lacks, is absent. */
import { isPromise } from "../../../core/lib/maybe-promise.ts";
import type { ServerInfo } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import { complete } from "../methods/completion.ts";
import { CACHING } from "../methods/paging.ts";
import { getPromptOf, listPrompts } from "../methods/prompts.ts";
import { listResources, listTemplates, readResourceOf } from "../methods/resources.ts";
import { callTool, listTools } from "../methods/tools.ts";
import type { Exchange, Method, MethodReply } from "../transport/exchange.ts";
import { META } from "../wire/meta.ts";
import { SUPPORTED_REVISIONS } from "../wire/revisions.ts";
import { SERVER_CAPABILITIES } from "./legacy.ts";

export const modernMethods: ReadonlyMap<string, Method> = new Map<string, Method>(
  (
    [
      [
        "server/discover",
        () => ({ result: { supportedVersions: SUPPORTED_REVISIONS, capabilities: SERVER_CAPABILITIES, ...CACHING } }),
      ],
      ["tools/list", listTools],
      ["tools/call", callTool],
      ["prompts/list", listPrompts],
      ["prompts/get", getPromptOf],
      ["resources/list", listResources],
      ["resources/templates/list", listTemplates],
      ["resources/read", readResourceOf],
      ["completion/complete", complete],
    ] satisfies [string, Method][]
  ).map(([name, method]) => [
    name,
    (request: RpcRequest, exchange: Exchange) => {
      const reply = method(request, exchange);
      return isPromise(reply) ? reply.then((made) => signed(made, exchange)) : signed(reply, exchange);
    },
  ]),
);

/** Every result says what kind it is and who made it (2026-07-28, basic/index, Responses and `_meta`). */
function signed(reply: MethodReply, { context: { server } }: Exchange): MethodReply {
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
