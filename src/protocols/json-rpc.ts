/** JSON-RPC 2.0 messages, shared by the protocols that speak it. Knows no method. */
import { isRecord } from "../core/json.ts";

export type RpcId = string | number;

/** The idempotency key that HTTP carries beside a JSON-RPC call (draft-ietf-httpapi-idempotency-key-header). */
export function idempotencyKeyOf(request: Request): string | undefined {
  const raw = request.headers.get("idempotency-key");
  // The draft makes it a quoted string; most clients send it bare.
  return raw === null || raw === "" ? undefined : raw.replace(/^"(.*)"$/, "$1");
}

/** An idempotency key is 1 to 255 characters of well-formed Unicode; undefined says that it is none. */
export function checkedKey(key: unknown): string | undefined {
  if (typeof key !== "string" || key === "" || !key.isWellFormed()) return undefined;
  return key.length <= 255 || [...key].length <= 255 ? key : undefined;
}

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

export interface RpcNotification {
  readonly method: string;
  readonly params: unknown;
}

/** What an incoming value is (JSON-RPC 2.0, sections 4 and 5). */
export type RpcMessage =
  | { readonly kind: "request"; readonly request: RpcRequest }
  | { readonly kind: "notification"; readonly notification: RpcNotification }
  | { readonly kind: "response"; readonly id: RpcId; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: "invalid"; readonly id: RpcId | undefined; readonly message: string };

export function readRpc(value: unknown): RpcMessage {
  if (!isRecord(value)) return { kind: "invalid", id: undefined, message: "A JSON-RPC message must be an object" };
  const id = isRpcId(value.id) ? value.id : undefined;
  if (value.jsonrpc !== "2.0") return { kind: "invalid", id, message: 'The member "jsonrpc" must be "2.0"' };
  if ("method" in value) {
    const { method, params } = value;
    if (typeof method !== "string") return { kind: "invalid", id, message: 'The member "method" must be a string' };
    if (!("id" in value)) return { kind: "notification", notification: { method, params } };
    if (id === undefined) {
      return { kind: "invalid", id, message: 'The member "id" must be a string or an integer' };
    }
    return { kind: "request", request: { id, method, params } };
  }
  if (id !== undefined && ("result" in value || "error" in value)) {
    return { kind: "response", id, result: value.result, error: value.error };
  }
  return { kind: "invalid", id, message: 'A JSON-RPC request must have a "method"' };
}

function isRpcId(id: unknown): id is RpcId {
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
}
