/** MCP's methods in 2026-07-28: stateless, each request on its own. What earlier revisions had and this lacks, is absent. */
import { after } from "../../core/soon.ts";
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
  ).map(([name, method]) => [
    name,
    (request: RpcRequest, turn: Turn) => after(method(request, turn), (reply) => signed(reply, turn)),
  ]),
);

/** Every result says what kind it is and who made it (2026-07-28, basic/index, Responses and `_meta`). */
function signed(reply: MethodReply, { visit: { server } }: Turn): MethodReply {
  if (!("result" in reply)) return reply;
  const { _meta, ...result } = reply.result as { _meta?: Record<string, unknown> };
  const meta = { ..._meta, [META.serverInfo]: { name: server.name, version: server.version } };
  return { ...reply, result: { resultType: "complete", ...result, _meta: meta } };
}
