/** Sessions for tools that want one, of clients that keep none: a handle that goes to and fro as an argument. */

import { SESSION_LIFETIME_MS } from "../../../core/model/session.ts";
import { checkHandle, mintHandle, randomId } from "../../../core/ports/signed-handles.ts";
import type { RequestContext } from "../../../http/request-context.ts";

const TOOL_PURPOSE = "tool-session";

/** A session for a client that keeps none. */
export interface ToolSession {
  readonly id: string;
  /** What the client sends to go on with it. */
  readonly handle: string;
  /** Whether this call begins it. */
  readonly begins: boolean;
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
  const checked = typeof given === "string" && (await checkHandle(runtime.signer, TOOL_PURPOSE, principal.id, given));
  if (!checked || !(Date.now() - Number(checked.note) < SESSION_LIFETIME_MS)) return undefined;
  return { id: checked.id, handle: given as string, begins: false };
}

/** The handle of a session that a call of this principal began. */
export function handleOf({ runtime, principal }: RequestContext, sessionId: string): Promise<string> {
  return mintHandle(runtime.signer, TOOL_PURPOSE, principal.id, `${Date.now()}`, sessionId);
}
