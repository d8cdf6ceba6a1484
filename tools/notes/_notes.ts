/** A helper of the toolkit: it opens the notes of a session, for the three tools and the resource. */
import { type Session, ToolError } from "#tool";

export type Note = { id: number; text: string };

/** `next` only grows, so that the number of a removed note is never reused. */
type Notebook = { next: number; notes: Note[] };

const KEY = "notes";

/**
 * If two calls of a session overlap, both read the same notebook, and the last one to save wins.
 *
 * @throws {ToolError} if the call has no session
 */
export async function openNotebook(session: Session | undefined) {
  if (session === undefined)
    throw new ToolError("Notes need a session: MCP clients get one from the initialize handshake");
  const notebook = (await session.get<Notebook>(KEY)) ?? { next: 1, notes: [] };
  return { ...notebook, save: (next: number, notes: Note[]) => session.set(KEY, { next, notes }) };
}
