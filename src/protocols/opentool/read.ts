/** Reads OpenTool requests: wire → Call. OpenTool's JSON-RPC is looser than the standard's, so it is read here. */
import { readToolId, type ToolReference } from "../../core/call.ts";
import { isRecord } from "../../core/json.ts";
import { keepShape } from "../../core/shapes.ts";

export interface ReadCall {
  /** Echoed as it came, whatever its JSON type. */
  readonly id: unknown;
  readonly method: string;
  readonly tool: ToolReference;
  readonly params: unknown;
}

export function readCall(body: unknown): ReadCall | { problem: string; id: unknown } {
  if (!isRecord(body)) return { problem: "The request body must be a JSON-RPC request object", id: null };
  const { jsonrpc, method, params } = body;
  const id = body.id ?? null;
  // The published TypeScript client sends "2.0.0".
  if (jsonrpc !== "2.0" && jsonrpc !== "2.0.0") return { problem: 'jsonrpc must be "2.0"', id };
  if (typeof method !== "string") return { problem: "method must be a string", id };
  // The function name of the listing, or a full OXP id.
  const tool = readToolId(method) ?? { name: method };
  return { id, method, tool, params: params ?? undefined };
}

// As in the specification's example (OpenTool 1.0, Call Tool, Request Body).
keepShape(JSON.parse('{"jsonrpc":"2.0","method":"","params":{},"id":""}'));
