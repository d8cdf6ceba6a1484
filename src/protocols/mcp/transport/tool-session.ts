/** Sessions for tools that want one, of clients that keep none: a handle that goes to and fro as an argument. */

import type { Begins } from "../../../core/model/call.ts";
import { SESSION_LIFETIME_MS } from "../../../core/model/session.ts";
import { checkHandle, mintHandle, randomId } from "../../../core/ports/signed-handles.ts";
import type { RequestContext } from "../../../http/request-context.ts";

const PURPOSE = "tool-session";

/**
 * What a handle or session id is signed for: it is good on the path that it was given on, so that a token for one toolkit
 * cannot end or answer other calls, nor go on with what they left.
 */
export function purposeOn(purpose: string, { toolkit }: RequestContext): string {
  return toolkit === undefined ? purpose : `${purpose} ${toolkit}`;
}

/** A session for a client that keeps none. */
export interface ToolSession {
  readonly id: string;
  /** What the client sends to go on with it. */
  readonly handle: string;
  readonly begins: Begins;
}

/**
 * Goes on with the session that a handle names, or begins one.
 *
 * @returns undefined for an invalid handle
 */
export async function toolSession(context: RequestContext, given: unknown): Promise<ToolSession | undefined> {
  const { runtime, principal } = context;
  if (given === undefined) {
    // Random, not derived from the call: sending the same call again begins another session.
    const id = randomId();
    return { id, handle: await handleOf(context, id), begins: true };
  }
  const checked =
    typeof given === "string" && (await checkHandle(runtime.signer, purposeOn(PURPOSE, context), principal.id, given));
  if (!checked || !(Date.now() - Number(checked.note) < SESSION_LIFETIME_MS)) return undefined;
  return { id: checked.id, handle: given as string, begins: false };
}

/** The handle of a session that a call of this principal began. */
export function handleOf(context: RequestContext, sessionId: string): Promise<string> {
  const { runtime, principal } = context;
  return mintHandle(runtime.signer, purposeOn(PURPOSE, context), principal.id, `${Date.now()}`, sessionId);
}
