/** The HTTP endpoints of files: a URL to upload to, the upload, the download, and deletion. */

import { isRecord } from "../../core/lib/json.ts";
import { partitionOf } from "../../core/model/principal.ts";
import { readJson } from "../../http/body.ts";
import type { Protocol, RequestContext } from "../../http/request-context.ts";
import { empty, json, problem as refuse, retryAfter } from "../../http/response.ts";
import { uncached } from "../../http/uncached.ts";
import { mayUpload, NOT_FROM_ANYONE } from "./may-upload.ts";
import { fileName, isMediaType, isSameType, MAX_NAME, MAX_TYPE } from "./names.ts";
import { receiveFile, showPage } from "./page/page-endpoints.ts";
import { BUSY_MS, type FileStore, type Presigning, type Uploaded, type Wanted } from "./store/store.ts";
import { PAUSE_MS } from "./store/streaming.ts";
import {
  type DownloadTicket,
  FILES_PATH,
  MAX_FAILURES,
  PAGE_PATH,
  readTicket,
  type UploadTicket,
} from "./store/tickets.ts";
import { EXPIRED, type TicketGuard } from "./ticket-guard.ts";

type Serve = (context: RequestContext, store: FileStore, guard: TicketGuard) => Promise<Response>;

/** @param store undefined if the deployment lacks a binding of files */
export function filesProtocol(store: FileStore | undefined, guard: TicketGuard): Protocol {
  const withStore = (serve: Serve) => ({
    serve: (context: RequestContext) => (store ? serve(context, store, guard) : refuse(501, NO_STORE)),
  });
  return uncached({
    endpoints: [
      { method: "POST", path: `${FILES_PATH}/presign-upload`, ...withStore(presign) },
      // The URL is the credential.
      { method: "PUT", path: `${FILES_PATH}/:id`, open: true, ...withStore(upload) },
      { method: "GET", path: `${FILES_PATH}/:id`, open: true, ...withStore(download) },
      { method: "DELETE", path: `${FILES_PATH}/:id`, ...withStore(remove) },
      { method: "GET", path: `${FILES_PATH}/:id${PAGE_PATH}`, open: true, ...withStore(showPage) },
      { method: "PUT", path: `${FILES_PATH}/:id${PAGE_PATH}`, open: true, ...withStore(receiveFile) },
    ],
    httpError: refuse,
  });
}

const NO_STORE = "This deployment stores no files: its operator has to bind FILES and FILE_RECORDS (docs/files.md)";

/** The path and the request follow the BeeOS gateway (`presign-upload`); the members `size` and `sha256` are ours. */
async function presign(context: RequestContext, store: FileStore): Promise<Response> {
  if (!mayUpload(context.principal, store, context.runtime)) return refuse(403, NOT_FROM_ANYONE);
  const body = await readJson(context);
  if ("bad" in body) return refuse(body.bad.status, body.bad.message, body.bad.headers);
  const wanted = readWanted(body.value);
  if ("problem" in wanted) return refuse(400, wanted.problem);
  const { origin } = new URL(context.request.url);
  const presigned = await store.presign(context.principal, wanted, origin);
  if (presigned.state !== "ready") return refused(presigned);
  const { id, url, headers, expires, maxBytes } = presigned;
  const expires_at = new Date(expires).toISOString();
  return json({ file_id: id, upload_url: url, method: "PUT", headers, expires_at, max_bytes: maxBytes });
}

function refused({ state, max }: Exclude<Presigning, { state: "ready" }>): Response {
  switch (state) {
    case "full":
      return refuse(429, `There are ${max} files already, and no more are kept: delete one, or wait until one expires`);
    case "too large":
      return refuse(413, `A file may have at most ${max} bytes`);
  }
}

function readWanted(body: unknown): Wanted | { readonly problem: string } {
  if (!isRecord(body)) return { problem: "The request body must be a JSON object" };
  const name = typeof body.filename === "string" ? fileName(body.filename) : undefined;
  if (name === undefined) return { problem: `filename must be the name of a file, of up to ${MAX_NAME} characters` };
  const { content_type: type } = body;
  if (typeof type !== "string" || !isMediaType(type)) {
    return { problem: `content_type must be a media type such as "text/csv", of up to ${MAX_TYPE} characters` };
  }
  // `size_bytes` is taken as well. Some serializers send absent optional members as null.
  const size = body.size ?? body.size_bytes ?? undefined;
  if (size !== undefined && !(Number.isSafeInteger(size) && Number(size) >= 0)) {
    return { problem: "size must be a whole number of bytes" };
  }
  const sha256 = body.sha256 ?? undefined;
  if (sha256 !== undefined && !(typeof sha256 === "string" && /^[0-9a-f]{64}$/i.test(sha256))) {
    return { problem: "sha256 must have 64 hex digits" };
  }
  return { name, type, size: size as number | undefined, sha256: (sha256 as string | undefined)?.toLowerCase() };
}

async function upload(context: RequestContext, store: FileStore, guard: TicketGuard): Promise<Response> {
  const { request, headers, params, runtime } = context;
  const { id = "" } = params;
  const ticket = await readTicket<UploadTicket>(runtime.signer, "upload", id, new URL(request.url));
  if (ticket === undefined) return refuse(403, "This URL was not signed by this server");
  const refused = await guard(ticket);
  if (refused) return refuse(refused.status, refused.message, refused.headers);
  if (!isSameType(headers.get("content-type") ?? "", ticket.type)) {
    return refuse(415, `The Content-Type must be the one that was declared: ${ticket.type}`);
  }
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") {
    return refuse(415, "A file must be sent as it is, without a Content-Encoding");
  }
  const length = headers.get("content-length");
  const announced = length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
  const size = ticket.size ?? announced;
  if (size === undefined)
    return refuse(411, "The upload needs a Content-Length, or its size when the URL is requested");
  const most = Math.min(ticket.size ?? store.maxBytes, store.maxBytes);
  if ((announced ?? size) > most) return refuse(413, `The file may have at most ${most} bytes`);
  if (announced !== undefined && announced !== size) return refuse(400, OTHER_SIZE);
  const uploading = store.accept(id, ticket, request.body, size);
  // If the client disconnects, what it left must still be deleted.
  runtime.defer(uploading.catch(() => {}));
  return uploaded(await uploading);
}

const BUSY = "Too many uploads go on at the same time: send this one when another has ended";
const STALLED = `The upload paused for over ${PAUSE_MS / 1_000} seconds: try again`;
const OTHER_SIZE = "The file does not have the size that was declared";

function uploaded(result: Uploaded): Response {
  switch (result) {
    case "taken":
      return refuse(409, "This file was uploaded already: request a URL for each file");
    case "gone":
      return refuse(410, EXPIRED);
    case "spent":
      return refuse(
        410,
        `This URL is not valid any more after ${MAX_FAILURES} uploads that failed: request another one`,
      );
    case "busy":
      return refuse(429, BUSY, retryAfter(BUSY_MS));
    case "stalled":
      return refuse(408, STALLED);
    case "cut off":
      return refuse(400, `${OTHER_SIZE}, or the upload was cut short: try again`);
    case "other hash":
      return refuse(422, "The file does not have the SHA-256 that was declared");
  }
  const { id, name, type, size, sha256, expires } = result.file;
  const expires_at = new Date(expires).toISOString();
  return json({ file_id: id, filename: name, content_type: type, size, sha256, expires_at }, 201);
}

async function download(context: RequestContext, store: FileStore, guard: TicketGuard): Promise<Response> {
  const { request, params, runtime } = context;
  const { id = "" } = params;
  const ticket = await readTicket<DownloadTicket>(runtime.signer, "download", id, new URL(request.url));
  if (ticket === undefined) return refuse(403, "This URL was not signed by this server");
  const refused = await guard(ticket);
  if (refused) return refuse(refused.status, refused.message, refused.headers);
  const found = await store.read(ticket.owner, id);
  // Ranges are ignored (RFC 9110, section 14.2): a client gets the whole file, or sees by its length that it did not.
  const object = request.method === "HEAD" ? undefined : await found?.get();
  if (found === undefined || object === null) return refuse(410, "The file has expired, or was deleted");
  const { name, type, size } = { ...found.file, ...ticket };
  return new Response(object?.body ?? null, {
    headers: {
      "content-type": type || "application/octet-stream",
      "content-length": String(size),
      // RFC 6266 and RFC 8187: in UTF-8, whatever the characters of the name.
      "content-disposition": `attachment; filename*=UTF-8''${encoded(name)}`,
      "accept-ranges": "none",
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    },
  });
}

/** `encodeURIComponent` leaves four characters that are not `attr-char`s (RFC 8187, section 3.2.1). */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

async function remove({ principal, params }: RequestContext, store: FileStore): Promise<Response> {
  const isRemoved = await store.remove(partitionOf(principal), params.id ?? "");
  return isRemoved ? empty(204) : refuse(404, "There is no such file");
}
