/** MCP sessions (2025-11-25, basic/transports, "Session Management"): ids that any isolate can check. */
import type { Ability } from "../../core/ask.ts";
import type { Begins } from "../../core/call.ts";
import type { LogLevel } from "../../core/definition.ts";
import { checkHandle, mintHandle, randomId } from "../../core/handle.ts";
import { ANONYMOUS } from "../../core/principal.ts";
import { SESSION_LIFETIME_MS } from "../../core/state.ts";
import type { Visit } from "../http.ts";
import { isLogLevel } from "./levels.ts";
import { isLegacyRevision, type LegacyRevision } from "./revisions.ts";

/**
 * Ids and handles are good on the path that they were given on: a token for one toolkit must not end or answer other
 * calls, nor go on with what they left.
 */
function purpose({ toolkit }: Visit, of: "mcp-session" | "tool-session"): string {
  return toolkit === undefined ? of : `${of} ${toolkit}`;
}

/** What a session's handshake settled, carried in its id: no isolate has to remember it. */
export interface SessionFacts {
  readonly id: string;
  /** Early clients name no revision afterwards. */
  readonly revision: LegacyRevision;
  readonly can: ReadonlySet<Ability>;
  /** Catalogue revision when the session began. */
  readonly knows: string;
}

const ABILITIES: readonly Ability[] = ["form", "page", "sample", "roots"];

export function startSession(visit: Visit, revision: LegacyRevision, can: ReadonlySet<Ability>): Promise<string> {
  const { host, principal } = visit;
  const letters = ABILITIES.map((ability) => (can.has(ability) ? "1" : "0")).join("");
  return mintHandle(
    host.signer,
    purpose(visit, "mcp-session"),
    principal.id,
    `${revision}_${letters}_${host.catalog.revision}_${Date.now()}`,
  );
}

/** @returns undefined for an id that was never given to this principal on this path, or whose session has ended */
export async function knownSession(visit: Visit, handle: string): Promise<SessionFacts | undefined> {
  const { host, principal } = visit;
  const checked = await checkHandle(host.signer, purpose(visit, "mcp-session"), principal.id, handle);
  if (checked === undefined) return undefined;
  const { id, note } = checked;
  const [revision, letters = "", knows = "", started] = note.split("_");
  if (!isLegacyRevision(revision) || !(Date.now() - Number(started) < SESSION_LIFETIME_MS)) return undefined;
  if (await host.sessions.hasEnded(principal.id, id)) return undefined;
  return { id, revision, can: new Set(ABILITIES.filter((_, index) => letters[index] === "1")), knows };
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
export async function toolSession(visit: Visit, given: unknown): Promise<ToolSession | undefined> {
  const { host, principal } = visit;
  if (given === undefined) {
    // Random, not derived from the call: sending the same call again begins another session.
    const id = randomId();
    return { id, handle: await handleOf(visit, id), begins: true };
  }
  const checked =
    typeof given === "string" && (await checkHandle(host.signer, purpose(visit, "tool-session"), principal.id, given));
  if (!checked || !(Date.now() - Number(checked.note) < SESSION_LIFETIME_MS)) return undefined;
  return { id: checked.id, handle: given as string, begins: false };
}

/** The handle of a session that a call of this principal began. */
export function handleOf(visit: Visit, sessionId: string): Promise<string> {
  const { host, principal } = visit;
  return mintHandle(host.signer, purpose(visit, "tool-session"), principal.id, `${Date.now()}`, sessionId);
}

/** Whether the id is of a session that somebody began who had not signed in, and who has now. */
export async function isAnonymous(visit: Visit, handle: string): Promise<boolean> {
  const { host, principal } = visit;
  return (
    principal.id !== ANONYMOUS &&
    (await checkHandle(host.signer, purpose(visit, "mcp-session"), ANONYMOUS, handle)) !== undefined
  );
}

/** The mailbox where a session's connections meet. */
export function boxOf({ principal }: Visit, session: SessionFacts): string {
  return `${principal.id}/${session.id}`;
}

/** What a session's client wants to hear of logs (2025-11-25, server/utilities/logging): `info` until it says. */
export async function logLevelOf({ host, principal }: Visit, session: SessionFacts): Promise<LogLevel> {
  const { level } = await host.sessions.read(principal.id, settings(session));
  return isLogLevel(level) ? level : "info";
}

export async function setLogLevel({ host, principal }: Visit, session: SessionFacts, level: LogLevel): Promise<void> {
  await host.sessions.update(principal.id, settings(session), { level });
}

/** Kept apart from what tools keep in the session. */
function settings(session: SessionFacts): string {
  return `${session.id}/mcp`;
}
