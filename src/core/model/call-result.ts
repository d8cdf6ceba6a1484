/** An outcome and what a renderer may want to say about it. Types only. */
import type { CatalogEntry } from "./catalog-entry.ts";
import type { Outcome } from "./outcome.ts";

export interface CallResult {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Absent when no tool was found. */
  readonly entry?: CatalogEntry | undefined;
  /** The result of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  /** The session that the earlier call began, where this one would have begun another; null if it may be another's. */
  readonly sessionId?: string | null | undefined;
}
