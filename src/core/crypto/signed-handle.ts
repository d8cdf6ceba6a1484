/**
 * Signed handles: opaque ids that clients hold and any isolate can verify without reading from a store. Each is bound
 * to a principal and a purpose, and is invalid for any other.
 */

import { randomId } from "./encoding.ts";
import { readToken, signToken } from "./signed-token.ts";
import type { Signer } from "./signer.ts";

/**
 * Creates a handle.
 *
 * @param note short text without dots that the handle contains unencrypted, such as a protocol's revision
 * @param id   the id of an earlier handle, to continue with it. Default: random
 */
export async function mintHandle(
  signer: Signer,
  purpose: string,
  principal: string,
  note: string,
  id: string = randomId(),
): Promise<string> {
  return signToken(signer, `${id}.${note}`, bound(purpose, principal, `${id}.${note}`));
}

/** Verifies a handle. Returns undefined unless it was created for this purpose and principal. */
export async function checkHandle(
  signer: Signer,
  purpose: string,
  principal: string,
  handle: string,
): Promise<{ id: string; note: string } | undefined> {
  const body = await readToken(signer, handle, (text) => bound(purpose, principal, text));
  const [id, note, ...rest] = body?.split(".") ?? [];
  return id && note !== undefined && rest.length === 0 ? { id, note } : undefined;
}

function bound(purpose: string, principal: string, body: string): readonly string[] {
  return [purpose, principal, body];
}
