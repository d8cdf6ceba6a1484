/** A session's notes, and what the three tools say alike. */
import { type Session, ToolError } from "#tool";

export type Note = { id: number; text: string };

/** `next` only grows, so that the number of a removed note never comes to mean another one. */
type Notebook = { next: number; notes: Note[] };

const KEY = "notes";

/**
 * Two calls of one session that overlap see the same notebook, and the one that ends last is kept.
 *
 * @throws {ToolError} where the call belongs to no session
 */
export async function openNotebook(session: Session | undefined) {
  if (session === undefined)
    throw new ToolError("Notes need a session: MCP clients get one by the initialize handshake");
  const notebook = (await session.get<Notebook>(KEY)) ?? { next: 1, notes: [] };
  return { ...notebook, save: (next: number, notes: Note[]) => session.set(KEY, { next, notes }) };
}
