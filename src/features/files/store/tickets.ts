/**
 * Signed URLs: whoever has one may upload or download one file, without a credential, until it expires. Any isolate can
 * check one without reading anything.
 */

import { fromBase64Url, toBase64Url } from "../../../core/crypto/encoding.ts";
import { readToken, signToken } from "../../../core/crypto/signed-token.ts";
import type { Signer } from "../../../core/crypto/signer.ts";
import { type Principal, partitionOf } from "../../../core/model/principal.ts";

/** What a URL permits. */
export interface Ticket {
  /** Whose file it is, as {@link ownerOf} says. */
  readonly owner: string;
  /** In milliseconds since 1970. */
  readonly expires: number;
  /** Id of the API key that it was made with: if that is revoked, the URL ends. */
  readonly key?: string | undefined;
}

export interface UploadTicket extends Ticket {
  readonly type: string;
  /** In bytes, if it was declared. */
  readonly size?: number | undefined;
  /** 64 hex digits, if it was declared. */
  readonly sha256?: string | undefined;
}

export interface DownloadTicket extends Ticket {
  /** Name of the download, if the call that attached the file gave another than the upload. */
  readonly name?: string;
  readonly type?: string;
}

/** What the ticket is for: the name of its query parameter. */
export type Purpose = "upload" | "download" | "page";

/** Path of an upload page, after the path of its file. */
export const PAGE_PATH = "/upload";

export const FILES_PATH = "/api/v1/files";

/** How many uploads to a URL may fail: each costs as much as one that succeeds. */
export const MAX_FAILURES = 5;

/** The caller who gets a ticket, and may give it to others. */
export type Holder = Pick<Ticket, "owner" | "key">;

export async function holderOf(signer: Signer, principal: Principal): Promise<Holder> {
  const [, key] = /^key:(.*)/.exec(principal.id) ?? [];
  return { owner: await ownerOf(signer, partitionOf(principal)), key };
}

/** A name for a partition that gives nothing away: the partition of an anonymous caller contains its address. */
export async function ownerOf(signer: Signer, partition: string): Promise<string> {
  return (await signer.sign(JSON.stringify(["owner of files", partition]))).slice(0, 22);
}

/** @returns the URL of a file, with its ticket */
export async function signedUrl(
  signer: Signer,
  purpose: Purpose,
  origin: string,
  id: string,
  ticket: Ticket,
): Promise<string> {
  // Keep the members in one order, so that the same ticket gives the same URL.
  const { owner, expires, key, ...more } = ticket;
  const text = toBase64Url(new TextEncoder().encode(JSON.stringify({ owner, expires, key, ...more })));
  const path = `${FILES_PATH}/${id}${purpose === "page" ? PAGE_PATH : ""}`;
  return `${origin}${path}?${purpose}=${await signToken(signer, text, ["file", purpose, id, text])}`;
}

/** @returns what a URL permits; undefined if it was not signed here for this file and purpose */
export async function readTicket<Kind extends Ticket = Ticket>(
  signer: Signer,
  purpose: Purpose,
  id: string,
  url: URL,
): Promise<Kind | undefined> {
  const given = url.searchParams.get(purpose) ?? "";
  const text = await readToken(signer, given, (said) => ["file", purpose, id, said]);
  if (text === undefined) return undefined;
  return JSON.parse(new TextDecoder().decode(fromBase64Url(text)));
}
