/** A task as the caller of its tool sees it while it runs. Types only. */
import type { CatalogEntry } from "./catalog-entry.ts";

/**
 * `failed` if the run was cut short and could not be continued: a tool that fails has run, so its task is `completed`.
 */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

export interface TaskState {
  readonly id: string;
  readonly entry: CatalogEntry;
  readonly status: TaskStatus;
  /** The last progress message of the tool. */
  readonly message: string | undefined;
  /** Milliseconds since 1970, like all times of a task. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the task is deleted. */
  readonly expiresAt: number;
  /** How many milliseconds a caller should wait before it reads the task again. */
  readonly pollMs: number;
}
