/** Uploads the files of `--attach` before a call (docs/files.md, Upload and attach). */
import { openAsBlob } from "node:fs";
import { basename, extname } from "node:path";
import { Mistake } from "../lib/mistake.ts";
import { mediaTypeOf } from "./media-types.ts";
import { NotDone, type Server } from "./protocols/connection.ts";

/** The response to a request for an upload. */
interface PresignedUpload {
  readonly file_id: string;
  readonly upload_url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
}

/**
 * @param path of a file on this machine
 * @returns the id to attach to the call
 * @throws {Mistake} if there is no such file, and {@link NotDone} if the server does not take it
 */
export async function upload(path: string, { base, key, fetch, signal }: Server): Promise<string> {
  const name = basename(path);
  const type = mediaTypeOf(extname(path));
  const file = await open(path, type);
  const wanted = { filename: name, content_type: type, size: file.size };
  const asked = await fetch(`${base}/api/v1/files/presign-upload`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(wanted),
    signal,
  });
  if (!asked.ok) throw await refusal(name, asked);
  const { file_id, upload_url, method, headers } = (await asked.json()) as PresignedUpload;
  // The URL itself is the permission, so the key is not sent with it.
  const sent = await fetch(upload_url, { method, headers, body: file, signal });
  if (!sent.ok) throw await refusal(name, sent);
  return file_id;
}

async function open(path: string, type: string): Promise<Blob> {
  try {
    return await openAsBlob(path, { type });
  } catch {
    throw new Mistake(`--attach: there is no file ${path}.`);
  }
}

async function refusal(name: string, response: Response): Promise<NotDone> {
  const body = await response.json().catch(() => undefined);
  const said = (body as { message?: unknown } | undefined)?.message;
  const why = typeof said === "string" ? said : `it answers with the status ${response.status}`;
  const [reason, more] =
    response.status === 401
      ? (["unauthorized", []] as const)
      : ([
          "refused",
          response.status === 404 ? ["It takes no files: docs/files.md says how to turn them on."] : [],
        ] as const);
  return new NotDone(reason, `The server does not take ${name}: ${why}.`, more);
}
