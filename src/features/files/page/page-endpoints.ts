/** The HTTP endpoints of upload pages: the page, and the upload that it sends. Its URL is the only credential. */
import type { UploadPage } from "../../../core/ports/files.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { json, problem as refuse, retryAfter } from "../../../http/response.ts";
import { acceptInWords, isAccepted, sizeInWords } from "../accept.ts";
import { fileName, isMediaType } from "../names.ts";
import { BUSY_MS, type FileStore, type Uploaded } from "../store/store.ts";
import { readTicket, type Ticket } from "../store/tickets.ts";
import type { RefusedTicket, TicketGuard } from "../ticket-guard.ts";
import { endPage, uploadPage } from "./page.ts";

const UNKNOWN =
  "This address is not complete, or was not made by this server. Open the link that your assistant shows.";
const CLOSED = "This link has expired, or the file is not needed any more. Ask your assistant to try again.";
const RECEIVED = "This page has received a file. Go back to your assistant. You can close this page.";

/** A page that is open, or why it is not. */
type Found =
  | { readonly page: UploadPage; readonly ticket: Ticket }
  | { readonly status: 403 | 409 | 410; readonly text: string }
  | { readonly refused: RefusedTicket };

async function find(
  { request, params, runtime }: RequestContext,
  store: FileStore,
  guard: TicketGuard,
): Promise<Found> {
  const { id = "" } = params;
  const ticket = await readTicket(runtime.signer, "page", id, new URL(request.url));
  if (ticket === undefined) return { status: 403, text: UNKNOWN };
  const refused = await guard(ticket);
  if (refused) return refused.status === 410 ? { status: 410, text: CLOSED } : { refused };
  const page = await store.pageOf(ticket.owner, id);
  if (page === undefined) return { status: 410, text: CLOSED };
  return page === "stored" ? { status: 409, text: RECEIVED } : { page, ticket };
}

/** `GET`: shows the page, or says why there is nothing to upload. */
export async function showPage(context: RequestContext, store: FileStore, guard: TicketGuard): Promise<Response> {
  const found = await find(context, store, guard);
  const { name, title = name } = context.server;
  if ("page" in found) return uploadPage(title, found.page);
  if ("refused" in found) return endPage(found.refused.status, "Try again later", `${found.refused.message}.`);
  // A person who reloads the page after an upload gets no error.
  if (found.status === 409) return endPage(200, "Received", found.text);
  return endPage(found.status, found.status === 403 ? "This link is not valid" : "This page is closed", found.text);
}

/** `PUT`, with the file's name, percent-encoded, in the header `X-File-Name`. Its messages are shown to a person. */
export async function receiveFile(context: RequestContext, store: FileStore, guard: TicketGuard): Promise<Response> {
  const found = await find(context, store, guard);
  if ("refused" in found) return refuse(found.refused.status, found.refused.message, found.refused.headers);
  if (!("page" in found)) return refuse(found.status, found.text);
  const { request, headers, params, runtime } = context;
  const { accept, maxBytes } = found.page;
  const name = nameIn(headers.get("x-file-name") ?? "");
  const type = headers.get("content-type") ?? "";
  if (name === undefined) return refuse(400, "A file with this name cannot be uploaded. Rename it, and try again.");
  if (!isMediaType(type)) return refuse(415, "The type of this file is not known.");
  if (!isAccepted(accept, name, type)) {
    return refuse(415, `“${name}” is not one of the files that are asked for: ${acceptInWords(accept)}.`);
  }
  const length = headers.get("content-length") ?? "";
  if (!/^\d+$/.test(length)) return refuse(411, "The size of the file is not known.");
  const size = Number(length);
  const most = Math.min(maxBytes, store.maxBytes);
  if (size > most) return refuse(413, `The file is larger than ${sizeInWords(most)}, the most that can be uploaded.`);
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") {
    return refuse(415, "A file must be sent as it is, without a Content-Encoding.");
  }
  const uploading = store.accept(params.id ?? "", found.ticket, request.body, size, { name, type });
  // If the browser is closed, what it left must still be cleared away.
  runtime.defer(uploading.catch(() => {}));
  return answer(await uploading);
}

function answer(result: Uploaded): Response {
  switch (result) {
    case "taken":
      return refuse(409, RECEIVED);
    case "gone":
    case "spent":
      return refuse(410, CLOSED);
    case "busy":
      return refuse(
        429,
        "Too many files are uploaded at the same time. Try again in a few seconds.",
        retryAfter(BUSY_MS),
      );
    case "stalled":
      return refuse(408, "The upload paused for too long. Try again.");
    case "cut off":
    case "other hash":
      return refuse(400, "The upload was cut short. Try again.");
  }
  const { name, size } = result.file;
  return json({ filename: name, size }, 201);
}

function nameIn(header: string): string | undefined {
  try {
    return fileName(decodeURIComponent(header));
  } catch {
    return undefined;
  }
}
