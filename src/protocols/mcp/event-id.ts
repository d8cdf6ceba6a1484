/**
 * Ids of events that a client may come back with (2025-11-25, basic/transports, Resumability and Redelivery): signed
 * and bound to their session, so that one that was never issued is known without a read.
 */
import { lacking } from "../../core/catalog.ts";
import type { Principal } from "../../core/definition.ts";
import { fromBase64Url, toBase64Url } from "../../core/handle.ts";
import type { Host } from "../../core/host.ts";
import type { RpcId } from "../json-rpc.ts";

/** Where the answer to a request may be picked up, should its connection be lost. */
export interface StreamAddress {
  /** The mailbox of the session. */
  readonly box: string;
  /** Unique in the mailbox. */
  readonly stream: string;
  readonly request: RpcId;
  /** Scopes of who made the request: who picks the answer up must have those of them that anything here demands. */
  readonly scopes: Principal["scopes"];
}

/** Position after the last message: a client that has it has missed nothing still available. */
export const END = "end";

/** What a stream's ids begin with. */
export async function signStream({ signer, catalog }: Host, address: StreamAddress): Promise<string> {
  const { box, stream, request, scopes } = address;
  const lacks = lacking(catalog.scopes, scopes);
  const has = catalog.scopes.filter((scope) => !lacks.includes(scope));
  const note = toBase64Url(new TextEncoder().encode(JSON.stringify([request, ...has])));
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
 * @param scopes of who comes back: a session's tokens may have different ones
 * @returns undefined for an id that no event of this session has had, or none that these scopes would have got
 */
export async function readEventId(
  { signer }: Host,
  box: string,
  id: string,
  scopes: Principal["scopes"],
): Promise<(StreamAddress & { readonly name: string; readonly after: number | typeof END }) | undefined> {
  const [, name = "", stream = "", note = "", signature = "", at] =
    /^(([\w-]+)\.([\w-]+)\.([\w-]+))-(\d{1,9}|end)$/.exec(id) ?? [];
  // Nothing of it is looked at before it is known to be ours.
  if (at === undefined || !(await signer.verify(bound(box, stream, note), signature))) return undefined;
  const [request, ...has] = readNote(note);
  if (lacking(has, scopes).length > 0) return undefined;
  return { box, stream, request, scopes, name, after: at === END ? END : Number(at) };
}

/** @param note that {@link signStream} made */
function readNote(note: string): [request: RpcId, ...has: string[]] {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(note)));
}

function bound(box: string, stream: string, note: string): string {
  return JSON.stringify(["mcp-stream", box, stream, note]);
}
