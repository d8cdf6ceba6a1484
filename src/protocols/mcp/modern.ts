/** MCP's methods in 2026-07-28: stateless, each request on its own. What earlier revisions had and this lacks, is absent. */
import { after } from "../../core/soon.ts";
import type { ServerInfo } from "../http.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { complete } from "./completion.ts";
import { META } from "./era.ts";
import { CAPABILITIES } from "./legacy.ts";
import { CACHING } from "./page.ts";
import { getPromptOf, listPrompts } from "./prompts.ts";
import { listResources, listTemplates, readResourceOf } from "./resources.ts";
import { SUPPORTED_REVISIONS } from "./revisions.ts";
import { callTool, listTools } from "./tools.ts";
import type { Method, MethodReply, Turn } from "./turn.ts";

export const modernMethods: ReadonlyMap<string, Method> = new Map<string, Method>(
  (
    [
      [
        "server/discover",
        () => ({ result: { supportedVersions: SUPPORTED_REVISIONS, capabilities: CAPABILITIES, ...CACHING } }),
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
  ).map(([name, method]) => [name, (request: RpcRequest, turn: Turn) => after(method(request, turn), signed, turn)]),
);

/** Every result says what kind it is and who made it (2026-07-28, basic/index, Responses and `_meta`). */
function signed(reply: MethodReply, { visit: { server } }: Turn): MethodReply {
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
