/** Uploads the files of `--attach` before a call (docs/files.md, Upload and attach). */
import { openAsBlob } from "node:fs";
import { isIP } from "node:net";
import { basename, extname } from "node:path";
import { Mistake } from "../lib/mistake.ts";
import { mediaTypeOf } from "./media-types.ts";
import { NotDone, type Server } from "./protocols/connection.ts";
import { unreachableBy } from "./protocols/lib.ts";

/**
 * @param path of a file on this machine
 * @returns the id to attach to the call
 * @throws {Mistake} if there is no such file, and {@link NotDone} if the server does not take it
 */
export async function upload(path: string, server: Server): Promise<string> {
  const { base, key } = server;
  const name = basename(path);
  const type = mediaTypeOf(extname(path));
  const file = await open(path, type);
  const wanted = { filename: name, content_type: type, size: file.size };
  const asked = await send(server, `${base}/api/v1/files/presign-upload`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(wanted),
  });
  if (!asked.ok) throw await refusal(name, asked);
  const { file_id, upload_url, headers } = placeIn(await asked.json().catch(() => undefined), base);
  // The URL itself is the permission, so the key is not sent with it.
  const sent = await send(server, upload_url, { method: "PUT", headers, body: file });
  if (!sent.ok) throw await refusal(name, sent);
  await sent.body?.cancel();
  return file_id;
}

/** Does not follow redirects: a server must not send the file to an address that only this machine can reach. */
async function send({ base, fetch, signal }: Server, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "error", signal });
  } catch (error) {
    signal.throwIfAborted();
    throw unreachableBy(error as Error, base);
  }
}

/** @throws {NotDone} if the answer has no address for the file, or one in a network that only this machine can reach */
function placeIn(answer: unknown, base: string) {
  const { file_id, upload_url, headers = {} } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const url = typeof upload_url === "string" ? URL.parse(upload_url) : null;
  const isFit = url !== null && (url.origin === new URL(base).origin || (url.protocol === "https:" && isPublic(url)));
  const isText = (value: unknown) => typeof value === "string";
  if (typeof file_id !== "string" || typeof headers !== "object" || !Object.values(headers ?? {}).every(isText)) {
    throw new NotDone("unreachable", `${base} does not say where files are uploaded to: it is not a Trivet server.`);
  }
  if (!isFit) throw new NotDone("refused", `${base} wants the file at ${upload_url}, which is not sent there.`);
  return { file_id, upload_url: url.href, headers: (headers ?? {}) as Record<string, string> };
}

/** Whether the host has a public name, such as that of a file store, and not an IP address. */
function isPublic({ hostname }: URL): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 && /\.(?!localhost$|local$|internal$)[a-z0-9-]+$/.test(hostname);
}

async function open(path: string, type: string): Promise<Blob> {
  try {
    // `openAsBlob` throws at once instead of rejecting.
    return await openAsBlob(path, { type });
  } catch {
    throw new Mistake(`--attach: there is no file ${path}.`);
  }
}

async function refusal(name: string, response: Response): Promise<NotDone> {
  const body = await response.json().catch(() => undefined);
  const said = (body as { message?: unknown } | undefined)?.message;
  const why = typeof said === "string" ? said : `it answers with the status ${response.status}`;
  const more = response.status === 404 ? ["It takes no files: docs/files.md says how to turn them on."] : [];
  const reason = response.status === 401 ? "unauthorized" : "refused";
  return new NotDone(reason, `The server does not take ${name}: ${why}.`, more);
}
