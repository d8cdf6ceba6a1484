/** Reads the parameters of `tools/call`, and separates the reserved arguments from the tool's input. */

import { isRecord } from "../../../core/lib/json.ts";
import type { FileReference } from "../../../core/model/call.ts";
import { checkedKey } from "../../../http/idempotency-key.ts";
import { readAttachments } from "../../attachments.ts";

export interface ReadCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly key: string | undefined;
  readonly attachments: readonly FileReference[] | undefined;
}

export type ReadParams = typeof readCall;

/**
 * Reads a call. If it has several idempotency keys, `arguments.idempotency_key` comes first, then
 * `_meta.idempotency_key`, then the header.
 *
 * @param headerKey the `Idempotency-Key` header
 * @returns a message if the parameters are malformed
 */
export function readCall(params: unknown, headerKey: string | undefined): ReadCall | { problem: string } {
  if (!isRecord(params)) return { problem: "params must be an object" };
  const { name } = params;
  // Some serializers send absent optional members as null.
  const given = params.arguments ?? {};
  if (typeof name !== "string") return { problem: "params.name must be a string" };
  if (!isRecord(given)) return { problem: "params.arguments must be an object" };

  const { idempotency_key, attachments: files } = given;
  const input = idempotency_key === undefined && files === undefined ? given : withoutReserved(given);
  const key = idempotency_key ?? (isRecord(params._meta) ? params._meta.idempotency_key : undefined) ?? headerKey;
  if (key !== undefined && checkedKey(key) === undefined) {
    return { problem: "An idempotency key must be a string of 1 to 255 well-formed characters" };
  }
  const attachments = files == null ? undefined : readAttachments(files);
  if (attachments === "malformed") {
    return { problem: 'Attachments must be a list of objects with the string "file_id"' };
  }
  return { name, input, key: key as string | undefined, attachments };
}

function withoutReserved({ idempotency_key, attachments, ...input }: Record<string, unknown>): Record<string, unknown> {
  return input;
}
