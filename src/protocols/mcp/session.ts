/** MCP sessions (2025-11-25, basic/transports, "Session Management"): ids that any isolate can check. */
import { checkHandle, mintHandle } from "../../core/handle.ts";
import type { Visit } from "../http.ts";
import { isLegacyRevision, type LegacyRevision } from "./revisions.ts";

const PURPOSE = "mcp-session";

export interface SessionFacts {
  readonly id: string;
  /** What its handshake settled on: early clients name no revision afterwards. */
  readonly revision: LegacyRevision;
}

export function startSession({ host, principal }: Visit, revision: LegacyRevision): Promise<string> {
  return mintHandle(host.signer, PURPOSE, principal.id, revision);
}

/** @returns undefined for an id that was never given to this principal, or whose session has ended */
export async function knownSession({ host, principal }: Visit, handle: string): Promise<SessionFacts | undefined> {
  const handled = await checkHandle(host.signer, PURPOSE, principal.id, handle);
  if (handled === undefined || !isLegacyRevision(handled.note)) return undefined;
  if (await host.sessions.hasEnded(principal.id, handled.id)) return undefined;
  return { id: handled.id, revision: handled.note };
}
