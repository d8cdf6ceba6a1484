/** The outcome of a call with details for renderers, and the task that a call can become. Types only. */
import type { Begins } from "./call.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import type { Question } from "./elicitation.ts";
import type { Outcome } from "./outcome.ts";
import type { TaskState } from "./task-state.ts";

export interface CallResult {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Absent if no tool was found. */
  readonly entry?: CatalogEntry | undefined;
  /** Set if this is the result of an earlier call with the same idempotency key. */
  readonly replayed?: true;
  /**
   * Of a keyed call: tells the run that this is the result of from others with the same key, which may run again when
   * the key has expired. Undefined if an earlier version has stored the result.
   */
  readonly run?: string | undefined;
  /**
   * For a replay that would have started a session: the session that the earlier call started, or null if it may be
   * another caller's.
   */
  readonly sessionId?: string | null | undefined;
}

/** A task: a call of a long tool, as callers see it while it runs and afterwards. */
export interface TaskView extends TaskState {
  /** The session that the call belongs to. */
  readonly session: TaskSession | undefined;
  /** The version that the task began with. A later deployment may have replaced it. */
  readonly version: string;
  readonly progress: TaskProgress | undefined;
  /** Differs from that of any earlier state of the task. */
  readonly sequence: number;
  /** Questions that wait for answers, by name. A name is never used twice in a task. */
  readonly questions: ReadonlyMap<string, Question>;
  /** The sign-in of the caller who started it; null for another credential, undefined if that is not known. */
  readonly grant: string | null | undefined;
  /** Whether a call that is repeated gets the result of this task until it was delivered. */
  readonly isAwaited: boolean;
  /** Set if the task has ended. */
  readonly result: CallResult | undefined;
}

/** The session of a call that is kept: of a task, or of a keyed call. */
export interface TaskSession {
  readonly id: string;
  /** Whether the call started it. */
  readonly begun: Begins;
  /** Who called, among those who share the principal. Absent for a caller that cannot be identified. */
  readonly by?: string | undefined;
  /** Whether the tool is known to have accessed it: if so, the result belongs to this session only. */
  readonly seen: boolean;
}

export interface TaskProgress {
  readonly done: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
