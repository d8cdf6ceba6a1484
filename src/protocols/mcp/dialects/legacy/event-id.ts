/**
 * Ids of events that a client may come back with (2025-11-25, basic/transports, Resumability and Redelivery): signed
 * and bound to their session, so that one that was never issued is known without a read.
 */
import type { Principal } from "../../../../core/model/principal.ts";
import { granted, lacking } from "../../../../core/model/principal.ts";
import type { Runtime } from "../../../../core/ports/runtime.ts";
import { fromBase64Url, toBase64Url } from "../../../../core/ports/signed-handles.ts";
import type { RpcId } from "../../../json-rpc.ts";

/** Where the answer to a request may be picked up, should its connection be lost. */
export interface StreamAddress {
  /** The mailbox of the session. */
  readonly box: string;
  /** Unique in the mailbox. */
  readonly stream: string;
  readonly request: RpcId;
  /** Scopes of who made the request: who picks the answer up must have those of them that anything here demands. */
  readonly scopes: Principal["scopes"];
  /** Folder name of the toolkit whose path the request came in on; undefined for the bare path. */
  readonly toolkit: string | undefined;
}

/** Position after the last message: a client that has it has missed nothing still available. */
export const END = "end";

/** What a stream's ids begin with. */
export async function signStream({ signer, catalog }: Runtime, address: StreamAddress): Promise<string> {
  const { box, stream, request, scopes, toolkit = null } = address;
  const has = granted(catalog.scopes, scopes);
  const note = toBase64Url(new TextEncoder().encode(JSON.stringify([request, toolkit, ...has])));
  return `${stream}.${note}.${await signer.sign(bound(box, stream, note))}`;
}

/**
 * @param name of the stream, as signed
 * @param at   place of the message in its stream: 0 before the first
 */
export function eventId(name: string, at: number | typeof END): string {
  return `${name}-${at}`;
}

/**
 * @param visitor who comes back, and on which toolkit's path: a session's tokens may have different scopes, and be good
 *                for one toolkit only
 * @returns undefined for an id that no event of this session has had, or none that the visitor would have got
 */
export async function readEventId(
  { signer }: Runtime,
  box: string,
  id: string,
  visitor: Pick<StreamAddress, "scopes" | "toolkit">,
): Promise<(StreamAddress & { readonly name: string; readonly after: number | typeof END }) | undefined> {
  const [, name = "", stream = "", note = "", signature = "", at] =
    /^(([\w-]+)\.([\w-]+)\.([\w-]+))-(\d{1,9}|end)$/.exec(id) ?? [];
  // Nothing of it is looked at before it is known to be ours.
  if (at === undefined || !(await signer.verify(bound(box, stream, note), signature))) return undefined;
  const [request, path, ...has] = readNote(note);
  const toolkit = path ?? undefined;
  const isNarrower = visitor.toolkit !== undefined && visitor.toolkit !== toolkit;
  if (isNarrower || lacking(has, visitor.scopes).length > 0) return undefined;
  return { box, stream, request, scopes: visitor.scopes, toolkit, name, after: at === END ? END : Number(at) };
}

/** @param note that {@link signStream} made */
function readNote(note: string): [request: RpcId, toolkit: string | null, ...has: string[]] {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(note)));
}

function bound(box: string, stream: string, note: string): string {
  return JSON.stringify(["mcp-stream", box, stream, note]);
}
