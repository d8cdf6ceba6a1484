/** Starts and finds MCP sessions (2025-11-25, basic/transports, "Session Management"). Any isolate can verify an id. */

import { checkHandle, mintHandle } from "../../../core/crypto/signed-handle.ts";
import type { LogLevel } from "../../../core/model/definition.ts";
import type { ClientCapability, ClientIdentity } from "../../../core/model/elicitation.ts";
import { ANONYMOUS } from "../../../core/model/principal.ts";
import { SESSION_LIFETIME_MS } from "../../../core/model/session.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { refuse } from "../transport/error-response.ts";
import type { ConnectionSession } from "../transport/exchange.ts";
import { purposeOn } from "../transport/tool-session.ts";
import { CODE } from "../wire/codes.ts";
import { isLogLevel } from "../wire/log-levels.ts";

/** The capabilities in a session's id, in this order. Add new ones at the end: clients hold ids of earlier versions. */
const SESSION_CAPABILITIES: readonly ClientCapability[] = [
  ...(["form", "page", "sample", "roots", "sample-tools"] as const),
  "views",
];

/** The revisions with a handshake, newest first. */
export const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

export function isLegacyRevision(revision: unknown): revision is LegacyRevision {
  return (LEGACY_REVISIONS as readonly unknown[]).includes(revision);
}

/** The result of a session's handshake. It is contained in the id, so no isolate has to store it. */
export interface McpSession extends ConnectionSession {
  /** Needed because early clients do not name their revision in later requests. */
  readonly revision: LegacyRevision;
  readonly capabilities: ReadonlySet<ClientCapability>;
  /** The catalogue's revision when the session started. */
  readonly knows: string;
}

/**
 * Starts a session. Nothing is stored: the id contains what the client says about itself, because reading that from a
 * store would cost each call more.
 *
 * @returns the session's id, signed for this principal and path
 */
export function startSession(
  context: RequestContext,
  revision: LegacyRevision,
  capabilities: ReadonlySet<ClientCapability>,
  { name = "", version = "", title = "" }: ClientIdentity,
): Promise<string> {
  const { runtime, principal } = context;
  // Revisions before 2025-11-25 have no tools in sampling.
  const has = (one: ClientCapability) => capabilities.has(one) && (one !== "sample-tools" || revision >= "2025-11-25");
  const letters = SESSION_CAPABILITIES.map((capability) => (has(capability) ? "1" : "0")).join("");
  const client = [name, version, title].map(encoded).join("_");
  const note = `${revision}_${letters}_${runtime.catalog.revision}_${Date.now()}_${client}`;
  return mintHandle(runtime.signer, purposeOn("mcp-session", context), principal.id, note);
}

/** Encodes a text as visible ASCII (Session Management), without the characters that separate the parts of an id. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(".", "%2E").replaceAll("_", "%5F");
}

/** The client's names when its session started. Sessions of an earlier version may not have them. */
export function namesIn([name, version, title]: readonly string[] = []): ClientIdentity {
  const decoded = (part: string | undefined) => (part ? decodeURIComponent(part) : undefined);
  return { name: decoded(name), version: decoded(version), title: decoded(title) };
}

/** @returns undefined if the id was not issued to this principal on this path, or the session has ended or expired */
export async function knownSession(context: RequestContext, handle: string): Promise<McpSession | undefined> {
  const { runtime, principal } = context;
  const checked = await checkHandle(runtime.signer, purposeOn("mcp-session", context), principal.id, handle);
  if (checked === undefined) return undefined;
  const { id, note } = checked;
  const [revision, letters = "", knows = "", started, ...client] = note.split("_");
  if (!isLegacyRevision(revision) || !(Date.now() - Number(started) < SESSION_LIFETIME_MS)) return undefined;
  if (await runtime.sessions.hasEnded(principal.id, id)) return undefined;
  const capabilities = new Set(SESSION_CAPABILITIES.filter((_, index) => letters[index] === "1"));
  return { id, revision, capabilities, knows, client };
}

/** Whether an anonymous caller started the session, and the client has signed in since. */
export async function isAnonymousSession(context: RequestContext, handle: string): Promise<boolean> {
  const { runtime, principal } = context;
  return (
    principal.id !== ANONYMOUS &&
    (await checkHandle(runtime.signer, purposeOn("mcp-session", context), ANONYMOUS, handle)) !== undefined
  );
}

/** Name of the mailbox that links the session's connections. */
export function relayBox({ principal }: RequestContext, session: ConnectionSession): string {
  return `${principal.id}/${session.id}`;
}

/** The log level of a session (2025-11-25, server/utilities/logging). `info` if the client has not set one. */
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

/** Id of the session's own settings, separate from the values that tools store in the session. */
function settings(session: ConnectionSession): string {
  return `${session.id}/mcp`;
}

/** Responds with 404, which makes clients start a new session. */
export function unknownSession(): Response {
  return refuse(404, "Session not found; start a new one", { code: CODE.unknownSession });
}
