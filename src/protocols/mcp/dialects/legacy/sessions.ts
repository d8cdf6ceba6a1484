/** MCP sessions (2025-11-25, basic/transports, "Session Management"): ids that any isolate can check. */

import type { LogLevel } from "../../../../core/model/definition.ts";
import type { Capability } from "../../../../core/model/elicitation.ts";
import { ANONYMOUS } from "../../../../core/model/principal.ts";
import { SESSION_LIFETIME_MS } from "../../../../core/model/session.ts";
import { checkHandle, mintHandle } from "../../../../core/ports/signed-handles.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import type { ConnectionSession } from "../../transport/exchange.ts";
import { refuse } from "../../transport/refuse.ts";
import { purposeOn } from "../../transport/tool-session.ts";
import { CODE } from "../../wire/codes.ts";
import { isLogLevel } from "../../wire/log-levels.ts";

/** The revisions with a handshake, newest first. */
export const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

export function isLegacyRevision(revision: unknown): revision is LegacyRevision {
  return (LEGACY_REVISIONS as readonly unknown[]).includes(revision);
}

/** What a session's handshake settled, carried in its id: no isolate has to remember it. */
export interface McpSession extends ConnectionSession {
  /** Early clients name no revision afterwards. */
  readonly revision: LegacyRevision;
  readonly capabilities: ReadonlySet<Capability>;
  /** Catalogue revision when the session began. */
  readonly knows: string;
}

const CAPABILITIES: readonly Capability[] = ["form", "page", "sample", "roots"];

export function startSession(
  context: RequestContext,
  revision: LegacyRevision,
  capabilities: ReadonlySet<Capability>,
): Promise<string> {
  const { runtime, principal } = context;
  const letters = CAPABILITIES.map((capability) => (capabilities.has(capability) ? "1" : "0")).join("");
  return mintHandle(
    runtime.signer,
    purposeOn("mcp-session", context),
    principal.id,
    `${revision}_${letters}_${runtime.catalog.revision}_${Date.now()}`,
  );
}

/** @returns undefined for an id that was never given to this principal on this path, or whose session has ended */
export async function knownSession(context: RequestContext, handle: string): Promise<McpSession | undefined> {
  const { runtime, principal } = context;
  const checked = await checkHandle(runtime.signer, purposeOn("mcp-session", context), principal.id, handle);
  if (checked === undefined) return undefined;
  const { id, note } = checked;
  const [revision, letters = "", knows = "", started] = note.split("_");
  if (!isLegacyRevision(revision) || !(Date.now() - Number(started) < SESSION_LIFETIME_MS)) return undefined;
  if (await runtime.sessions.hasEnded(principal.id, id)) return undefined;
  return { id, revision, capabilities: new Set(CAPABILITIES.filter((_, index) => letters[index] === "1")), knows };
}

/** Whether the id is of a session that somebody began who had not signed in, and who has now. */
export async function isAnonymous(context: RequestContext, handle: string): Promise<boolean> {
  const { runtime, principal } = context;
  return (
    principal.id !== ANONYMOUS &&
    (await checkHandle(runtime.signer, purposeOn("mcp-session", context), ANONYMOUS, handle)) !== undefined
  );
}

/** The mailbox where a session's connections meet. */
export function relayBox({ principal }: RequestContext, session: ConnectionSession): string {
  return `${principal.id}/${session.id}`;
}

/** What a session's client wants to hear of logs (2025-11-25, server/utilities/logging): `info` until it says. */
export async function logLevelOf(
  { runtime, principal }: RequestContext,
  session: ConnectionSession,
): Promise<LogLevel> {
  const { level } = await runtime.sessions.read(principal.id, settings(session));
  return isLogLevel(level) ? level : "info";
}

export async function setLogLevel(
  { runtime, principal }: RequestContext,
  session: ConnectionSession,
  level: LogLevel,
): Promise<void> {
  await runtime.sessions.update(principal.id, settings(session), { level });
}

/** Kept apart from what tools keep in the session. */
function settings(session: ConnectionSession): string {
  return `${session.id}/mcp`;
}

export function unknownSession(): Response {
  return refuse(404, "Session not found; start a new one", { code: CODE.unknownSession });
}
