/** The outcome of a call with details for renderers. Types only. */
import type { CatalogEntry } from "./catalog-entry.ts";
import type { Outcome } from "./outcome.ts";
import type { TaskView } from "./task.ts";

export interface CallResult {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Absent if no tool was found. */
  readonly entry?: CatalogEntry | undefined;
  /** Set if this is the result of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  /**
   * For a replay that would have started a session: the session that the earlier call started, or null if it may be
   * another caller's.
   */
  readonly sessionId?: string | null | undefined;
  /** Set if the call runs as a task and has not ended: then the outcome is a refusal, because it is still running. */
  readonly task?: TaskView | undefined;
}
