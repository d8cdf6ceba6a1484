/** A stored file as a tool gets it. */

import { DEFAULT_TIMEOUT_MS } from "../../core/model/default-time-limit.ts";
import type { Attachment } from "../../core/model/definition.ts";
import { type Principal, partitionOf } from "../../core/model/principal.ts";
import type { FileAbout, Files, StoredFile } from "../../core/ports/files.ts";
import type { Primitive } from "../../core/ports/runtime.ts";

/** How long a tool's files are kept beyond its time limit, in milliseconds. */
const GRACE_MS = 60_000;

/** @returns until when the files of a run that begins now are kept, in milliseconds since 1970 */
export function untilWhen({ options }: Primitive): number {
  return Date.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + GRACE_MS;
}

/**
 * Makes the attachment that a tool gets. The methods that read its contents are on a prototype, which JSON leaves out:
 * the other members may be returned or logged.
 *
 * @param origin of the URL that the tool gets
 * @param about  name and type that the call gives, in place of those of the upload
 */
export async function openedFile(
  files: Files,
  principal: Principal,
  file: StoredFile,
  origin: string,
  about: Partial<FileAbout> = {},
): Promise<Attachment> {
  const { id: fileId, name, type, size, sha256 } = { ...file, ...about };
  const stream = () => files.open(partitionOf(principal), fileId);
  const methods = {
    stream,
    text: async () => new Response(await stream()).text(),
    bytes: async () => new Uint8Array(await new Response(await stream()).arrayBuffer()),
  };
  const url = await files.link(principal, file, origin, about);
  return Object.assign(Object.create(methods), { fileId, name, type, size, sha256, url });
}
