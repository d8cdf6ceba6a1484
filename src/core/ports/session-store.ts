/** The store of session values. Interface only. */
import type { SessionChanges, SessionValues } from "../model/session.ts";

/** Keeps the values of sessions for as long as they are used. */
export interface SessionStore {
  /** The values of one session; empty if there are none (any more). */
  read(principal: string, id: string): Promise<SessionValues>;
  /**
   * Changes some values and leaves the others, including those that another call has changed meanwhile.
   *
   * @param read what the same call has read before, if it has: then the store may do without reading it again
   * @throws `SessionFull` if the session would become too large; nothing is changed then
   */
  update(principal: string, id: string, changes: SessionChanges, read?: SessionValues): Promise<void>;
  /** Deletes the session's values and remembers that it ended. */
  end(principal: string, id: string): Promise<void>;
  /** Whether {@link end} was called for it. */
  hasEnded(principal: string, id: string): Promise<boolean>;
}
