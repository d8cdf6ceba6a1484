/** MCP's methods in the revisions with a handshake (2024-11-05 to 2025-11-25), and for clients that do none. */
import { NO_CONTEXT } from "../../core/call.ts";
import { execute } from "../../core/execute.ts";
import { isRecord } from "../../core/json.ts";
import type { Visit } from "../http.ts";
import { idempotencyKeyOf, type RpcRequest } from "../json-rpc.ts";
import { listTools as list } from "./list.ts";
import { readCall } from "./read.ts";
import { CODE, error, type Reply, renderCall } from "./render.ts";
import { isLegacyRevision, LEGACY_REVISIONS, type Manner } from "./revisions.ts";

/** What a method is served with. */
export interface Turn {
  readonly visit: Visit;
  readonly manner: Manner;
  readonly sessionId: string | undefined;
}

/** A reply, or one whose `result` is JSON text already: listings are never parsed to be printed again. */
export type MethodReply = Reply | { readonly resultText: string };

export type Method = (request: RpcRequest, turn: Turn) => MethodReply | Promise<MethodReply>;

export const legacyMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["initialize", initialize],
  ["ping", () => ({ result: {} })],
  ["tools/list", listTools],
  ["tools/call", callTool],
]);

/** Lifecycle, "Version Negotiation": the client's revision if it is served, else the newest of this era. */
export function negotiate(params: unknown): (typeof LEGACY_REVISIONS)[number] | undefined {
  if (!isRecord(params) || typeof params.protocolVersion !== "string") return undefined;
  return isLegacyRevision(params.protocolVersion) ? params.protocolVersion : LEGACY_REVISIONS[0];
}

function initialize({ params }: RpcRequest, { visit }: Turn): MethodReply {
  const protocolVersion = negotiate(params);
  if (protocolVersion === undefined) {
    return error(CODE.invalidParams, 'The member "params.protocolVersion" must be a string');
  }
  const { name, version } = visit.server;
  return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version } } };
}

function listTools(_: RpcRequest, { visit: { host, toolkit } }: Turn): MethodReply {
  return { resultText: `{"tools":[${list(host.catalog, toolkit, "objects")}]}` };
}

async function callTool({ params }: RpcRequest, { visit, manner, sessionId }: Turn): Promise<MethodReply> {
  const { request, host, principal, toolkit } = visit;
  const read = readCall(params, idempotencyKeyOf(request));
  if ("problem" in read) return error(CODE.invalidParams, read.problem);
  const { name, input, key, attachments } = read.value;
  const ending = await execute(
    {
      callId: crypto.randomUUID(),
      tool: { name },
      toolkit,
      input,
      key,
      principal,
      sessionId,
      context: NO_CONTEXT,
      attachments,
      signal: request.signal,
    },
    host,
  );
  return renderCall(ending, manner);
}
