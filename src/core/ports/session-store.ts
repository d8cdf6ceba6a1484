/** The store of session values. Interface only. */
import type { SessionChanges, SessionValues } from "../model/session.ts";

export interface SessionStore {
  /** The values of one session; empty if it has none or they have expired. */
  read(principal: string, id: string): Promise<SessionValues>;
  /**
   * Changes some values and leaves the others, including those that another call has changed in the meantime.
   *
   * @param read the values that the same call read before, if it did: then the store may skip reading them again
   * @throws {SessionFull} if the session would become too large; then nothing is changed
   * @throws {RangeError} if the store has no room for more of this principal's sessions; then nothing is changed
   */
  update(principal: string, id: string, changes: SessionChanges, read?: SessionValues): Promise<void>;
  /** Deletes the session's values and remembers that it ended. */
  end(principal: string, id: string): Promise<void>;
  hasEnded(principal: string, id: string): Promise<boolean>;
}
