/** Turns OpenTool requests into calls. OpenTool allows more than JSON-RPC 2.0, so it has its own reader. */

import { readToolId } from "../../core/catalog/catalog.ts";
import { isRecord } from "../../core/lib/json.ts";
import { LOST_NUMBERS, lostNumberOutside } from "../../core/lib/lost-numbers.ts";
import type { FileReference, ToolReference } from "../../core/model/call.ts";
import { readAttachments } from "../attachments.ts";

export interface ReadCall {
  /** Returned to the client unchanged, whatever its JSON type. */
  readonly id: unknown;
  readonly method: string;
  readonly tool: ToolReference;
  readonly params: unknown;
  /** `context.attachments`, next to `params`: an extension of Trivet, because OpenTool has no place for files. */
  readonly attachments: readonly FileReference[] | undefined | "malformed";
  /** `context.callback`, unchecked: also an extension of Trivet. */
  readonly callback: unknown;
}

/** Reads the body of a call. If it is not a JSON-RPC request, returns a message, and the id if there is one. */
export function readCall(body: unknown): ReadCall | { problem: string; id: unknown } {
  if (!isRecord(body)) return { problem: "The request body must be a JSON-RPC request object", id: null };
  const { jsonrpc, method, params, context } = body;
  const lost = LOST_NUMBERS in body ? lostNumberOutside(body, ["params"]) : undefined;
  if (lost !== undefined) return { problem: lost, id: null };
  const id = body.id ?? null;
  // The published TypeScript client sends "2.0.0".
  if (jsonrpc !== "2.0" && jsonrpc !== "2.0.0") return { problem: 'jsonrpc must be "2.0"', id };
  if (typeof method !== "string") return { problem: "method must be a string", id };
  // The method is a function name from the listing, or a full OXP tool id.
  const tool = readToolId(method) ?? { name: method };
  const extensions = isRecord(context) ? context : {};
  const attachments = extensions.attachments == null ? undefined : readAttachments(extensions.attachments);
  return { id, method, tool, params: params ?? undefined, attachments, callback: extensions.callback };
}
