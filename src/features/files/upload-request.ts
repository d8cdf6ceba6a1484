/** Asking the user for a file: `ctx.upload` of tools that take attachments (docs/files.md). Types only. */
import type { Attachment } from "../../core/model/definition.ts";

export interface UploadRequest {
  /** Shown by the client and on the page: "Choose the report to summarize." */
  readonly message: string;
  /** Media types and extensions, as in HTML: `text/csv`, `image/*`, `.csv`. One of them must fit. Default: any file. */
  readonly accept?: readonly string[];
  /** Default and maximum: MAX_FILE_BYTES. */
  readonly maxBytes?: number;
}

/** How the user answered, like `Elicited` (elicitation.ts). */
export type Uploaded =
  | { readonly action: "accept"; readonly file: Attachment }
  | { readonly action: "decline" | "cancel" };

/** What the context of a tool with `attachments` has in addition. */
export interface UploadContext {
  /**
   * Asks the user to upload a file on a page of this server, and waits for it. `key` names the question, as in
   * `elicit`: ask before you act, because the tool may run again from its start.
   *
   * @throws {CannotAsk} if the caller cannot send its user to a page; if not caught, the call ends with a refusal that
   *         has the page's URL, so that the user can open it and the call can be repeated
   * @throws {NotAnswered} if no file came within ten minutes of the user's consent, from a caller that is asked during
   *         the call; if not caught, the call fails with its message
   */
  upload(key: string, request: UploadRequest): Promise<Uploaded>;
}
