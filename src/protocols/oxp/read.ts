/** Reads OXP requests: wire → Call. What it cannot read is a sentence for the 400 answer. */

import { isRecord } from "../../core/lib/json.ts";
import { keepMap } from "../../core/lib/v8-maps.ts";
import { type CallContext, NO_CONTEXT, readToolId, type ToolReference } from "../../core/model/call.ts";
import type { Attachment } from "../../core/model/definition.ts";
import { checkedKey } from "../../http/idempotency-key.ts";
import { readAttachments } from "../attachments.ts";

/** What of a `POST /tools/call` body becomes part of the call. */
export interface ReadCall {
  readonly tool: ToolReference & { readonly id: string };
  readonly input: unknown;
  /** The client's call id, which is its idempotency key. */
  readonly callId: string | undefined;
  readonly traceId: string | undefined;
  readonly context: CallContext;
  /** `context.attachments`: our extension, which OXP 1.0 allows. */
  readonly attachments: readonly Attachment[] | undefined;
}

/** Characters of a secret or token: whatever a call says is searched for them. */
const MAX_SECRET = 16_384;

export type Read<Value> = Value | { readonly problem: string };

/** What clients call OXP 1.0: the URN, the long form in two spellings, and early clients' own scheme. */
export function isSupportedVersion(named: unknown): boolean {
  if (named === "urn:oxp:1.0" || named === "otc://1.0") return true;
  return (
    typeof named === "string" && /^[a-z][a-z0-9+.-]*:.*\/spec(ification)?\/http\/1\.0\/openapi\.json$/i.test(named)
  );
}

/** The answer to a version that is not served. */
export const UNSUPPORTED_VERSION = 'This version of OXP is not supported. Supported: "urn:oxp:1.0"';

/**
 * `$schema` of a request; absent means the latest (OXP 1.0, Call Tool, Payload). Some serializers send absent optional
 * members as null.
 */
export function readVersion(body: Record<string, unknown>): string | undefined {
  const named = body.$schema ?? undefined;
  return named === undefined || isSupportedVersion(named) ? undefined : UNSUPPORTED_VERSION;
}

export function readCall(body: unknown): Read<ReadCall> {
  if (!isRecord(body)) return { problem: "The request body must be a JSON object" };
  const version = readVersion(body);
  if (version) return { problem: version };
  const { request } = body;
  if (!isRecord(request)) return { problem: "request must be an object" };
  const { tool_id } = request;
  // Some serializers send absent optional members as null.
  const call_id = request.call_id ?? undefined;
  const trace_id = request.trace_id ?? undefined;

  const tool = typeof tool_id === "string" ? readToolId(tool_id) : undefined;
  if (tool === undefined) {
    return { problem: 'request.tool_id must be a string such as "Toolkit.Tool" or "Toolkit.Tool@1.0.0"' };
  }
  if (call_id !== undefined && checkedKey(call_id) === undefined) {
    return { problem: "request.call_id must be a string of 1 to 255 well-formed characters" };
  }
  if (trace_id !== undefined && typeof trace_id !== "string") {
    return { problem: "request.trace_id must be a string" };
  }
  const context = readContext(request);
  if ("problem" in context) return context;
  const attachments = isRecord(request.context) ? readAttachments(request.context.attachments) : undefined;
  if (attachments === "malformed") {
    return { problem: 'request.context.attachments must be a list of objects with the string "file_id"' };
  }
  return {
    tool,
    // The prose says `inputs`, every example and the schema `input`: both are taken, `input` wins.
    input: request.input ?? request.inputs ?? undefined,
    callId: call_id as string | undefined,
    traceId: trace_id,
    context,
    attachments,
  };
}

/** OXP 1.0, Call Tool Request, Context. */
function readContext(request: Record<string, unknown>): Read<CallContext> {
  if (request.context === undefined && request.user_id === undefined) return NO_CONTEXT;
  const context = request.context ?? {};
  if (!isRecord(context)) return { problem: "request.context must be an object" };
  const authorization = readPairs(context.authorization, "authorization", "token");
  if ("problem" in authorization) return authorization;
  const secrets = readPairs(context.secrets, "secrets", "value");
  if ("problem" in secrets) return secrets;
  // One published client sends the user id beside `tool_id`.
  const userId = context.user_id ?? request.user_id;
  if (userId !== undefined && userId !== null && typeof userId !== "string") {
    return { problem: "request.context.user_id must be a string" };
  }
  return { authorization, secrets, userId: userId ?? undefined };
}

/** `[{id, token}]` or `[{id, value}]` as a map; the first of two with one id counts. */
function readPairs(list: unknown, name: string, member: string): Read<ReadonlyMap<string, string>> {
  if (list === undefined || list === null) return NO_CONTEXT.secrets;
  const pairs = new Map<string, string>();
  const problem = `request.context.${name} must be a list of objects with the strings "id" and "${member}"`;
  if (!Array.isArray(list)) return { problem };
  for (const item of list) {
    if (!isRecord(item) || typeof item.id !== "string" || typeof item[member] !== "string") return { problem };
    if ((item[member] as string).length > MAX_SECRET) {
      return { problem: `request.context.${name} must not have a ${member} of over ${MAX_SECRET} characters` };
    }
    if (!pairs.has(item.id)) pairs.set(item.id, item[member] as string);
  }
  return pairs;
}

// With what a call must have, and as in the specification's examples (OXP 1.0, Call Tool).
keepMap(JSON.parse('{"request":{"tool_id":"","input":{}}}'));
keepMap(JSON.parse('{"request":{"call_id":"","tool_id":"","input":{}}}'));
