/** Gives tools a session if the client has none: with a handle that the client passes as an argument. */

import { randomId } from "../../../core/crypto/encoding.ts";
import { checkHandle, mintHandle } from "../../../core/crypto/signed-handle.ts";
import type { Begins } from "../../../core/model/call.ts";
import { SESSION_LIFETIME_MS } from "../../../core/model/session.ts";
import type { RequestContext } from "../../../http/request-context.ts";

const PURPOSE = "tool-session";

/**
 * The purpose for which a handle or session id is signed. It includes the toolkit's path, so that a token for one
 * toolkit cannot end, answer or continue calls made on another path.
 */
export function purposeOn(purpose: string, { toolkit }: RequestContext): string {
  return toolkit === undefined ? purpose : `${purpose} ${toolkit}`;
}

/** The session of a client that does not support sessions. */
export interface ToolSession {
  readonly id: string;
  /** The value that the client sends to continue the session. */
  readonly handle: string;
  readonly begins: Begins;
}

/**
 * Continues the session that a handle names, or starts one if there is none.
 *
 * @returns undefined if the handle is invalid or has expired
 */
export async function toolSession(context: RequestContext, given: unknown): Promise<ToolSession | undefined> {
  const { runtime, principal } = context;
  if (given === undefined) {
    // Random, not derived from the call, so that repeating the call starts another session.
    const id = randomId();
    return { id, handle: await handleOf(context, id), begins: true };
  }
  const checked =
    typeof given === "string" && (await checkHandle(runtime.signer, purposeOn(PURPOSE, context), principal.id, given));
  if (!checked || !(Date.now() - Number(checked.note) < SESSION_LIFETIME_MS)) return undefined;
  return { id: checked.id, handle: given as string, begins: false };
}

/** Makes a handle for a session that belongs to this principal. */
export function handleOf(context: RequestContext, sessionId: string): Promise<string> {
  const { runtime, principal } = context;
  return mintHandle(runtime.signer, purposeOn(PURPOSE, context), principal.id, `${Date.now()}`, sessionId);
}
