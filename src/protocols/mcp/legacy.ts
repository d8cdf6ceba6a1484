/** MCP's methods in the revisions with a handshake (2024-11-05 to 2025-11-25), and for clients that do none. */
import { MAX_SUBSCRIBED_URI } from "../../core/changes.ts";
import { isRecord } from "../../core/json.ts";
import { lackingScopes } from "../../core/permit.ts";
import { ownerOf } from "../../core/principal.ts";
import { findResource, resourceOffer, subscribedTo } from "../../core/resources.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { complete } from "./completion.ts";
import { isLogLevel } from "./levels.ts";
import { getPromptOf, listPrompts } from "./prompts.ts";
import { CODE, error, refused } from "./render.ts";
import { listResources, listTemplates, readResourceOf, unknownResource } from "./resources.ts";
import { isLegacyRevision, LEGACY_REVISIONS, type LegacyRevision } from "./revisions.ts";
import { setLogLevel } from "./session.ts";
import { callTool, listTools } from "./tools.ts";
import type { Method, MethodReply, Turn } from "./turn.ts";

export const legacyMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", initialize],
  ["ping", () => ({ result: {} })],
  ["logging/setLevel", setLevel],
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["prompts/list", listPrompts],
  ["prompts/get", getPromptOf],
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResourceOf],
  ["resources/subscribe", (request, turn) => subscribe(request, turn, true)],
  ["resources/unsubscribe", (request, turn) => subscribe(request, turn, false)],
  ["completion/complete", complete],
]);

/** What this server can do, in both eras. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
} as const;

/** Lifecycle, "Version Negotiation": the client's revision if it is served, else the newest of this era. */
export function negotiate(params: unknown): LegacyRevision | undefined {
  if (!isRecord(params) || typeof params.protocolVersion !== "string") return undefined;
  return isLegacyRevision(params.protocolVersion) ? params.protocolVersion : LEGACY_REVISIONS[0];
}

function initialize({ params }: RpcRequest, { visit }: Turn): MethodReply {
  const protocolVersion = negotiate(params);
  if (protocolVersion === undefined) {
    return error(CODE.invalidParams, "params.protocolVersion must be a string");
  }
  const { name, version } = visit.server;
  return { result: { protocolVersion, capabilities: CAPABILITIES, serverInfo: { name, version } } };
}

async function setLevel({ params }: RpcRequest, { visit, session }: Turn): Promise<MethodReply> {
  const level = isRecord(params) ? params.level : undefined;
  if (!isLogLevel(level)) return error(CODE.invalidParams, "params.level must be a log level");
  // Without a session there is nothing to remember it by, and no later message that it could be about.
  if (session) await setLogLevel(visit, session, level);
  return { result: {} };
}

async function subscribe({ params }: RpcRequest, turn: Turn, on: boolean): Promise<MethodReply> {
  const { visit, session } = turn;
  if (!isRecord(params) || typeof params.uri !== "string") {
    return error(CODE.invalidParams, "params.uri must be a string");
  }
  const { catalog } = visit.host;
  const found = params.uri.length <= MAX_SUBSCRIBED_URI ? findResource(catalog, visit.toolkit, params.uri) : undefined;
  if (on && !found) return unknownResource(params.uri, turn);
  // A caller that may not read a resource must not learn of its changes.
  const refusal = on && found ? lackingScopes(resourceOffer(found.entry), visit.principal) : undefined;
  if (refusal) return refused(refusal, turn.manner, visit);
  const { changes } = visit.host;
  const resource = found && subscribedTo(found, params.uri);
  if (session && resource && !(await changes.subscribe(ownerOf(visit.principal), session.id, resource, on))) {
    return error(CODE.invalidParams, "Too many subscriptions; end one first");
  }
  return { result: {} };
}
