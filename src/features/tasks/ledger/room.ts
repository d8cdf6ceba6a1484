/** Decides whether a ledger has room for a task, or for the result of one. */
import { MAX_KEPT_BYTES, MAX_RUNNING_BYTES, type NewTask } from "../../../core/ports/task-ledger.ts";
import type { LedgerDependencies } from "./ledger-dependencies.ts";
import { SMALL_CALL, type TaskTable } from "./task-table.ts";

/** @returns why the task cannot be started now, as a state of the port; undefined if it can */
export function refusalOf(
  { call, weight, limit }: NewTask,
  table: TaskTable,
  storage: LedgerDependencies["storage"],
  now: number,
): "full" | "no_room" | undefined {
  if (!hasRoom(storage, call)) return "no_room";
  return table.countRunning(now) >= limit || !fits(weight, table.runningWeight()) ? "full" : undefined;
}

/** Whether there is room for a call or an answer beside what is held already. There is for small ones, and for two. */
export function fits(weight: number, held: number): boolean {
  return weight <= SMALL_CALL || held + weight <= Math.max(MAX_RUNNING_BYTES, 2 * weight);
}

/** @param text ASCII, so that it has a byte for each character */
export function hasRoom(storage: LedgerDependencies["storage"], text: string): boolean {
  return storage.sql.databaseSize + text.length <= MAX_KEPT_BYTES;
}
