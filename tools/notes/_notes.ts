/** Where a session's notes are, and what the three tools say alike. */
import { type Session, ToolError } from "#tool";

export const MAX_NOTES = 100;
export const MAX_CHARACTERS = 2_000;

export type Note = { id: number; text: string };

/** `next` only grows, so that the number of a removed note never comes to mean another one. */
type Notebook = { next: number; notes: Note[] };

const KEY = "notes";

/** @throws {ToolError} where the call belongs to no session */
export function requireSession(session: Session | undefined): Session {
  if (session !== undefined) return session;
  throw new ToolError(
    "Notes need a session, and this call belongs to none: an MCP client gets one when it begins with the handshake",
    { developerMessage: "Send back the Mcp-Session-Id header that the answer to initialize carries" },
  );
}

/** Two calls of one session that overlap see the same notebook, and the one that ends last is kept. */
export async function readNotebook(session: Session): Promise<Notebook> {
  return (await session.get<Notebook>(KEY)) ?? { next: 1, notes: [] };
}

export function writeNotebook(session: Session, notebook: Notebook): Promise<void> {
  return session.set(KEY, notebook);
}
