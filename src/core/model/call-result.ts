/** The outcome of a call with the details that renderers need, and the task that a call can become. Types only. */
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
   * For a keyed call: identifies the run that had this result. Once a key has expired, a call with it runs again.
   * Undefined if an earlier version of Trivet stored the result.
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
  readonly session: TaskSession | undefined;
  /** The version that the task began with. A later deployment may have replaced it. */
  readonly version: string;
  readonly progress: TaskProgress | undefined;
  /** Differs from the sequence of every earlier state of the task. */
  readonly sequence: number;
  /** Questions that wait for answers, by name. A name is never used twice in a task. */
  readonly questions: ReadonlyMap<string, Question>;
  /** The sign-in of the caller that started the task; null for another credential, undefined if it is not known. */
  readonly grant: string | null | undefined;
  /** Whether a repeated call gets the result of this task, until the result was delivered. */
  readonly isAwaited: boolean;
  /** Undefined until the task ends. */
  readonly result: CallResult | undefined;
  /** Set if the result is left out because it is large (core/ports/task-ledger.ts). */
  readonly isHeldBack?: boolean | undefined;
}

/** The session of a call whose result is stored: a task or a keyed call. */
export interface TaskSession {
  readonly id: string;
  readonly begun: Begins;
  /** Tells callers that share the principal apart. Absent for a caller that cannot be identified. */
  readonly by?: string | undefined;
  /** Whether the tool is known to have accessed the session: if so, the result belongs to this session only. */
  readonly seen: boolean;
}

export interface TaskProgress {
  readonly done: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
