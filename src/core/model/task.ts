/** A task: a call of a long tool, as callers see it while it runs and afterwards. Types only. */
import type { CallResult } from "./call-result.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import type { Question } from "./elicitation.ts";

/**
 * `failed` if the run was cut short and could not be continued: a tool that fails has run, so its task is `completed`.
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

export interface TaskView {
  readonly id: string;
  /** The tool that was called. */
  readonly entry: CatalogEntry;
  readonly status: TaskStatus;
  /** What the tool last reported, in its words. */
  readonly message: string | undefined;
  readonly progress: TaskProgress | undefined;
  /** Milliseconds since 1970, like all times of a task. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the task is forgotten. */
  readonly expiresAt: number;
  /** How many milliseconds a caller should wait before it reads the task again. */
  readonly pollMs: number;
  /** Differs from that of any earlier state of the task. */
  readonly sequence: number;
  /** Questions that wait for answers, by name. A name is never used twice in a task. */
  readonly questions: ReadonlyMap<string, Question>;
  /** Set if the task has ended. */
  readonly result: CallResult | undefined;
}

export interface TaskProgress {
  readonly done: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Why a run could not be continued. */
export type TaskFailure =
  /** It was cut short, and must not run again: it may have had its effect. */
  | "interrupted"
  /** It was cut short too often, or the engine has lost it. */
  | "lost"
  /** A deployment has removed the version that the task began with, or its caller may not use it any more. */
  | "gone";
