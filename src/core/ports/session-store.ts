/** Where session values live. Interface only. */
import type { SessionChanges, SessionValues } from "../model/session.ts";

/** A session lives on for as long as it is used. */
export interface SessionStore {
  /** The values of one session; empty when there are none (any more). */
  read(principal: string, id: string): Promise<SessionValues>;
  /**
   * Changes some values and leaves the others, also those that another call changed meanwhile.
   *
   * @throws `SessionFull` where the session would then hold too much: nothing is changed
   */
  update(principal: string, id: string, changes: SessionChanges): Promise<void>;
  /** Forgets the session's values and remembers that it ended. */
  end(principal: string, id: string): Promise<void>;
  /** Whether {@link end} was called for it. */
  hasEnded(principal: string, id: string): Promise<boolean>;
}
