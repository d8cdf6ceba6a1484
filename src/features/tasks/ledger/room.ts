/** Decides whether a ledger has room for a task, or for the result of one. */
import { MAX_KEPT_BYTES, type NewTask } from "../../../core/ports/task-ledger.ts";
import type { LedgerDependencies } from "./ledger-dependencies.ts";
import type { TaskTable } from "./task-table.ts";

/** How long the run of a cancelled task counts once it knows, in milliseconds. A tool that ignores its signal may go on. */
const STOP_MS = 60_000;

type Dependencies = Pick<LedgerDependencies, "storage" | "leaseMs">;

/** @returns why the task cannot be started now, as a state of the port; undefined if it can */
export function refusalOf(
  { call, limit }: NewTask,
  table: TaskTable,
  { storage, leaseMs }: Dependencies,
  now: number,
): "full" | "no_room" | undefined {
  if (!hasRoom(storage, call)) return "no_room";
  // A run learns at its next sign of life that its task was cancelled, and then has a moment to end.
  return table.countRunning(now - leaseMs - STOP_MS) >= limit ? "full" : undefined;
}

/** @param text ASCII, so that it has a byte for each character */
export function hasRoom(storage: LedgerDependencies["storage"], text: string): boolean {
  return storage.sql.databaseSize + text.length <= MAX_KEPT_BYTES;
}
