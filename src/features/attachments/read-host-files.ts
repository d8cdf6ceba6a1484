/**
 * Reads the files that a host attaches itself: `arguments.host_files`, which the listing names in
 * `_meta["openai/fileParams"]` (Apps SDK, Reference). A wrapper of `readCall`. Bundled only with tools that take files.
 */
import { isRecord } from "../../core/lib/json.ts";
import type { FileReference } from "../../core/model/call.ts";
import type { readCall } from "../../protocols/mcp/wire/read-call.ts";

type ReadCall = typeof readCall;

/** @param read reads the other arguments */
export function withHostFiles(read: ReadCall): ReadCall {
  return (params, headerKey) => {
    const call = read(params, headerKey);
    if ("problem" in call || call.input.host_files === undefined) return call;
    const { host_files, ...input } = call.input;
    const files = readHostFiles(host_files ?? []);
    if (files === undefined) {
      return { problem: 'host_files must be a list of objects with the strings "download_url" and "file_id"' };
    }
    const attachments = [...(call.attachments ?? []), ...files];
    return { ...call, input, attachments: attachments.length === 0 ? undefined : attachments };
  };
}

/** @param given a list of files, or one. @returns undefined if it is neither */
function readHostFiles(given: unknown): FileReference[] | undefined {
  const files = (Array.isArray(given) ? given : [given]).map((file: unknown) => {
    if (!isRecord(file)) return undefined;
    const { file_id: fileId, download_url: download, mime_type: contentType, file_name: filename } = file;
    if (typeof fileId !== "string" || typeof download !== "string") return undefined;
    return {
      fileId,
      isHosts: true as const,
      download,
      ...(typeof filename === "string" && { filename }),
      ...(typeof contentType === "string" && { contentType }),
    };
  });
  return files.includes(undefined) ? undefined : (files as FileReference[]);
}
