/** MCP's methods in 2026-07-28: stateless, each request on its own. What earlier revisions had and this lacks, is absent. */
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
    (request: RpcRequest, turn: Turn) => {
      const reply = method(request, turn);
      return reply instanceof Promise ? reply.then((made) => signed(made, turn)) : signed(reply, turn);
    },
  ]),
);

/** Every result says what kind it is and who made it (2026-07-28, basic/index, Responses and `_meta`). */
function signed(reply: MethodReply, { visit: { server } }: Turn): MethodReply {
  if (!("result" in reply)) return reply;
  const { result } = reply as { result: { _meta?: Record<string, unknown> } };
  const serverInfo = { name: server.name, version: server.version };
  const signedResult = { resultType: "complete", ...result, _meta: { ...result._meta, [META.serverInfo]: serverInfo } };
  return { ...reply, result: signedResult };
}
