/** Uploads files before the call that they are attached to (docs/files.md, Upload and attach). */
import { raced } from "../../../../client/lib/http.ts";
import { isRecord, parseJson } from "../../../../client/lib/json.ts";
import { sizeText } from "../lib/words.ts";
import type { Access } from "./access.ts";
import { messageIn, ServerFailure, statusFailure, Unreachable, unreadable } from "./failures.ts";

export interface UploadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called while the file is sent, with the part of it that is sent: 0 to 1. */
  readonly onProgress?: ((part: number) => void) | undefined;
  readonly put: Put;
}

/** Sends a file. Rejects with the signal's reason, and with anything else if there was no answer. */
export type Put = (
  url: string,
  headers: Readonly<Record<string, string>>,
  file: Blob,
  options: Pick<UploadOptions, "signal" | "onProgress">,
) => Promise<{ readonly status: number; readonly text: string }>;

const MAX_FILES = 20;
/**
 * Limits to tell before a file is chosen. The server says how large a file may be only when it is asked for a place.
 */
export const FILE_LIMITS = `Up to ${MAX_FILES} files. The server says if one is too large.`;

/**
 * Uploads one file.
 *
 * @returns its id, to attach it to calls
 * @throws {NeedsCredential | Refused | Unreachable | CallerChanged} with a message for the person, and the signal's
 *         reason
 */
export async function upload(access: Access, file: File, options: UploadOptions): Promise<string> {
  const { onProgress, put } = options;
  const signal = AbortSignal.any([access.signal, ...(options.signal ? [options.signal] : [])]);
  signal.throwIfAborted();
  const wanted = { filename: file.name, content_type: file.type || "application/octet-stream", size: file.size };
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(wanted),
    signal,
  };
  const [presigned, text] = await answered(signal, async () => {
    const response = await access.sender()(`${access.origin}/api/v1/files/presign-upload`, init);
    return [response, await response.text()] as const;
  });
  if (!presigned.ok) throw refused(file, presigned.status, presigned.headers, text);
  const { id, url, headers, maxBytes } = placeIn(text);
  // The server knows the size, and says here if it is too much, so that the file need not be sent.
  if (file.size > maxBytes)
    throw new Unreachable(`${file.name} is too large: up to ${sizeText(maxBytes)} are taken.`, "broken");
  if (new URL(url).origin !== access.origin) {
    throw new Unreachable(`${file.name} is so large that it is stored elsewhere, which this page cannot do.`, "broken");
  }
  // The URL itself is the permission, so the credential is not sent with it.
  const sent = await answered(signal, () => raced(put(url, headers, file, { signal, onProgress }), signal));
  if (sent.status !== 201 && sent.status !== 200) throw refused(file, sent.status, new Headers(), sent.text);
  return id;
}

async function answered<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServerFailure) throw error;
    throw new Unreachable("The server cannot be reached, or the connection broke off. Try again.", "offline");
  }
}

function refused(file: File, status: number, headers: Headers, text: string): Error {
  const message = messageIn(text);
  if (status === 404) return new Unreachable("This server takes no files.", "broken");
  if (message !== undefined) return new Unreachable(`${file.name} was not taken: ${message}`, "broken");
  return statusFailure(status, headers, message);
}

function placeIn(text: string) {
  const body = parseJson(text);
  const { file_id: id, upload_url: url, headers = {}, max_bytes } = isRecord(body) ? body : {};
  if (typeof id !== "string" || typeof url !== "string" || !URL.canParse(url) || !isRecord(headers)) {
    return unreadable("it does not say where to send the file");
  }
  const texts = Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
  const maxBytes = typeof max_bytes === "number" ? max_bytes : Number.POSITIVE_INFINITY;
  return { id, url, headers: Object.fromEntries(texts) as Record<string, string>, maxBytes };
}
