/**
 * Reads the files that a caller attached: MCP's reserved argument, and `context.attachments` of OXP and OpenTool.
 */

import { isRecord } from "../core/lib/json.ts";
import type { Attachment } from "../core/model/definition.ts";

/**
 * `[{file_id, filename?, content_type?}]` (gateway seed, "Attachments"). Other members are ignored; the files
 * themselves are not fetched.
 *
 * @returns undefined where nothing is attached, "malformed" for what is no such list
 */
export function readAttachments(files: unknown): Attachment[] | undefined | "malformed" {
  if (files === undefined || files === null) return undefined;
  if (!Array.isArray(files)) return "malformed";
  const attachments: Attachment[] = [];
  for (const file of files) {
    if (!isRecord(file)) return "malformed";
    const fileId = file.file_id;
    const filename = file.filename ?? undefined;
    const contentType = file.content_type ?? undefined;
    if (typeof fileId !== "string" || !isOptionalString(filename) || !isOptionalString(contentType)) return "malformed";
    attachments.push({ fileId, filename, contentType });
  }
  return attachments.length === 0 ? undefined : attachments;
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}
