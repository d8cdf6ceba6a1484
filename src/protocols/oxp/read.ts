/** Turns OXP requests into calls. Returns a message for the 400 response if the request is malformed. */

import { readToolId } from "../../core/catalog/catalog.ts";
import { isRecord } from "../../core/lib/json.ts";
import { LOST_NUMBERS, lostNumberOutside } from "../../core/lib/lost-numbers.ts";
import { type CallContext, type FileReference, NO_CONTEXT, type ToolReference } from "../../core/model/call.ts";
import { checkedKey } from "../../http/idempotency-key.ts";
import { readAttachments } from "../attachments.ts";

/** The parts of a `POST /tools/call` body that make up a call. */
export interface ReadCall {
  readonly tool: ToolReference & { readonly id: string };
  readonly input: unknown;
  /** The client's call id, which is also its idempotency key. */
  readonly callId: string | undefined;
  readonly traceId: string | undefined;
  readonly context: CallContext;
  /** `context.attachments`: an extension of Trivet, which OXP 1.0 allows. */
  readonly attachments: readonly FileReference[] | undefined;
  /** `context.callback`, unchecked: also an extension of Trivet. */
  readonly callback: unknown;
}

/** Most characters of a secret or token, because all output of a call is searched for them. */
const MAX_SECRET = 16_384;

/** A value, or a message that says what is wrong with the request. */
export type Read<Value> = Value | { readonly problem: string };

/** Accepts the URN of OXP 1.0, its long form in two spellings, and the scheme that early clients used. */
export function isSupportedVersion(named: unknown): boolean {
  if (named === "urn:oxp:1.0" || named === "otc://1.0") return true;
  return (
    typeof named === "string" && /^[a-z][a-z0-9+.-]*:.*\/spec(ification)?\/http\/1\.0\/openapi\.json$/i.test(named)
  );
}

export const UNSUPPORTED_VERSION = 'This version of OXP is not supported. Supported: "urn:oxp:1.0"';

/**
 * Checks `$schema` of a request; if absent, it means the latest version (OXP 1.0, Call Tool, Payload). Some serializers
 * send absent optional members as null.
 *
 * @returns a message if the version is not supported, else undefined
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
  const lost =
    LOST_NUMBERS in request ? lostNumberOutside(request, [request.input == null ? "inputs" : "input"]) : undefined;
  if (lost !== undefined) return { problem: `request.${lost}` };
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
  const extensions = isRecord(request.context) ? request.context : {};
  const attachments = extensions.attachments == null ? undefined : readAttachments(extensions.attachments);
  if (attachments === "malformed") {
    return { problem: 'request.context.attachments must be a list of objects with the string "file_id"' };
  }
  return {
    tool,
    // The specification's prose says `inputs`; its examples and schema say `input`. Both are accepted, `input` first.
    input: request.input ?? request.inputs ?? undefined,
    callId: call_id as string | undefined,
    traceId: trace_id,
    context,
    attachments,
    callback: extensions.callback,
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
  // One published client sends the user id next to `tool_id`.
  const userId = context.user_id ?? request.user_id;
  if (userId !== undefined && userId !== null && typeof userId !== "string") {
    return { problem: "request.context.user_id must be a string" };
  }
  return { authorization, secrets, userId: userId ?? undefined };
}

/** Reads `[{id, token}]` or `[{id, value}]` into a map. If an id occurs twice, the first one counts. */
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
