/** Reads JSON-RPC 2.0 messages, for the protocols that use it. Independent of any method. */
import { isRecord } from "../core/lib/json.ts";
import { LOST_NUMBERS, lostNumberOutside } from "../core/lib/lost-numbers.ts";
import { type Fault, retryHint } from "../core/model/outcome.ts";

export type RpcId = string | number;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** An incoming message, classified (JSON-RPC 2.0, sections 4 and 5). */
export type RpcMessage =
  | ({ readonly kind: "request" } & RpcRequest)
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  | { readonly kind: "response"; readonly id: RpcId; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: "invalid"; readonly id: RpcId | undefined; readonly message: string };

/** Most characters of an id, or of any other text that a caller chooses and the server repeats. */
export const MAX_ECHO = 255;

/** Classifies a parsed JSON value, which must not be a batch. */
export function readRpc(value: unknown): RpcMessage {
  if (!isRecord(value)) return { kind: "invalid", id: undefined, message: "A JSON-RPC message must be an object" };
  const id = isRpcId(value.id) ? value.id : undefined;
  if (value.jsonrpc !== "2.0") return { kind: "invalid", id, message: 'jsonrpc must be "2.0"' };
  const lost = LOST_NUMBERS in value ? lostNumberOutside(value, ["params", "arguments"]) : undefined;
  if (lost !== undefined) return { kind: "invalid", id, message: lost };
  const { method = null, params } = value;
  if (method !== null) {
    if (typeof method !== "string") return { kind: "invalid", id, message: "method must be a string" };
    if (!("id" in value)) return { kind: "notification", method, params };
    if (id === undefined) {
      return { kind: "invalid", id, message: `id must be a string of up to ${MAX_ECHO} characters or an integer` };
    }
    return { kind: "request", id, method, params };
  }
  if (id !== undefined && ("result" in value || "error" in value)) {
    return { kind: "response", id, result: value.result, error: value.error };
  }
  return { kind: "invalid", id, message: 'A JSON-RPC request must have a "method"' };
}

function isRpcId(id: unknown): id is RpcId {
  return (typeof id === "string" && id.length <= MAX_ECHO) || (typeof id === "number" && Number.isSafeInteger(id));
}

/** The fields of a fault that a client can act on. JSON-RPC does not define names for them, so OXP's names are used. */
export function faultFields(fault: Fault): Record<string, unknown> {
  return {
    can_retry: fault.canRetry ?? false,
    retry_after_ms: fault.retryAfterMs,
    additional_prompt_content: fault.additionalPromptContent,
    developer_message: fault.developerMessage,
  };
}

/** A fault on one line: what happened, and what to do about it. */
export function faultText(fault: Fault): string {
  const hint = retryHint(fault);
  return hint === "" ? fault.message : `${fault.message} (${hint})`;
}
