/** Reads OpenTool requests: wire → Call. OpenTool's JSON-RPC is looser than the standard's, so it is read here. */

import { isRecord } from "../../core/lib/json.ts";
import { keepMap } from "../../core/lib/v8-maps.ts";
import { readToolId, type ToolReference } from "../../core/model/call.ts";
import type { Attachment } from "../../core/model/definition.ts";
import { readAttachments } from "../attachments.ts";

export interface ReadCall {
  /** Echoed as it came, whatever its JSON type. */
  readonly id: unknown;
  readonly method: string;
  readonly tool: ToolReference;
  readonly params: unknown;
  /** `context.attachments` beside `params`: an extension of ours, as OpenTool has no place for files. */
  readonly attachments: readonly Attachment[] | undefined | "malformed";
}

export function readCall(body: unknown): ReadCall | { problem: string; id: unknown } {
  if (!isRecord(body)) return { problem: "The request body must be a JSON-RPC request object", id: null };
  const { jsonrpc, method, params, context } = body;
  const id = body.id ?? null;
  // The published TypeScript client sends "2.0.0".
  if (jsonrpc !== "2.0" && jsonrpc !== "2.0.0") return { problem: 'jsonrpc must be "2.0"', id };
  if (typeof method !== "string") return { problem: "method must be a string", id };
  // The function name of the listing, or a full OXP id.
  const tool = readToolId(method) ?? { name: method };
  const attachments = isRecord(context) ? readAttachments(context.attachments) : undefined;
  return { id, method, tool, params: params ?? undefined, attachments };
}

// As in the specification's example (OpenTool 1.0, Call Tool, Request Body).
keepMap(JSON.parse('{"jsonrpc":"2.0","method":"","params":{},"id":""}'));
