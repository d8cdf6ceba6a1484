/**
 * Makes and checks ids of events from which a client can resume (2025-11-25, basic/transports, Resumability and
 * Redelivery). They are signed and bound to their session, so a forged id is detected without a read.
 */

import { fromBase64Url, toBase64Url } from "../../../core/crypto/encoding.ts";
import { readToken, signToken } from "../../../core/crypto/signed-token.ts";
import { granted, lacking, type Principal } from "../../../core/model/principal.ts";
import type { Runtime } from "../../../core/ports/runtime.ts";
import type { RpcId } from "../../json-rpc.ts";

/** The stream of a request whose response can be resumed. */
export interface StreamAddress {
  /** The mailbox of the session. */
  readonly box: string;
  /** Unique in the mailbox. */
  readonly stream: string;
  readonly request: RpcId;
  /** Scopes of the request's principal. To resume, a client needs those that the catalogue uses. */
  readonly scopes: Principal["scopes"];
  /** Folder name of the toolkit in the request's path; undefined on the path that serves all toolkits. */
  readonly toolkit: string | undefined;
}

/** Position after the last message. A client at this position has received everything that is still available. */
export const END = "end";

/** Returns the signed name of a stream, with which its event ids begin. */
export async function signStream({ signer, catalog }: Runtime, address: StreamAddress): Promise<string> {
  const { box, stream, request, scopes, toolkit = null } = address;
  const has = granted(catalog.scopes, scopes);
  const note = toBase64Url(new TextEncoder().encode(JSON.stringify([request, toolkit, ...has])));
  return signToken(signer, `${stream}.${note}`, bound(box, `${stream}.${note}`));
}

/**
 * @param name signed name of the stream
 * @param at   position of the message in its stream, starting at 1; 0 is the position before the first
 */
export function eventId(name: string, at: number | typeof END): string {
  return `${name}-${at}`;
}

/**
 * Reads the id of an event and checks its signature.
 *
 * @param client scopes and toolkit path of the client that resumes: the tokens used in one session may have different
 *               scopes, or be valid for one toolkit only
 * @returns undefined if no event of this session has the id, or if the client may not receive the event
 */
export async function readEventId(
  { signer }: Runtime,
  box: string,
  id: string,
  client: Pick<StreamAddress, "scopes" | "toolkit">,
): Promise<(StreamAddress & { readonly name: string; readonly after: number | typeof END }) | undefined> {
  const [, name = "", stream = "", note = "", at] = /^(([\w-]+)\.([\w-]+)\.[\w-]+)-(\d{1,9}|end)$/.exec(id) ?? [];
  // Verify the signature before using any part of the id.
  if (at === undefined || (await readToken(signer, name, (text) => bound(box, text))) === undefined) return undefined;
  const [request, path, ...has] = readNote(note);
  const toolkit = path ?? undefined;
  const isNarrower = client.toolkit !== undefined && client.toolkit !== toolkit;
  if (isNarrower || lacking(has, client.scopes).length > 0) return undefined;
  return { box, stream, request, scopes: client.scopes, toolkit, name, after: at === END ? END : Number(at) };
}

/** @param note made by {@link signStream} */
function readNote(note: string): [request: RpcId, toolkit: string | null, ...has: string[]] {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(note)));
}

/** @param text the stream and the note, with a dot between */
function bound(box: string, text: string): readonly string[] {
  return ["mcp-stream", box, ...text.split(".")];
}
