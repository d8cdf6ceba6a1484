/** Reads the files attached to a call: MCP's reserved argument, and `context.attachments` in OXP and OpenTool. */

import { isRecord } from "../core/lib/json.ts";
import type { FileReference } from "../core/model/call.ts";

/**
 * Reads `[{file_id, filename?, content_type?}]`. Other members are ignored, and the files themselves are not fetched.
 *
 * @returns undefined if nothing is attached; "malformed" if `files` is not such a list
 */
export function readAttachments(files: unknown): FileReference[] | undefined | "malformed" {
  if (!Array.isArray(files)) return "malformed";
  const attachments: FileReference[] = [];
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
