/**
 * Remembers when runs were last heard of: in memory, because there are many signs of life. An object that is not in
 * memory between its alarms would start the wait again at each of them, so in that case a row says since when its run
 * may have been silent.
 */
import type { TaskRow, TaskTable } from "./task-table.ts";

export class SignsOfLife {
  readonly #table: TaskTable;
  readonly #heard = new Map<string, number>();
  readonly #since = Date.now();

  constructor(table: TaskTable) {
    this.#table = table;
  }

  hear({ id, silent }: Pick<TaskRow, "id" | "silent">): void {
    this.#heard.set(id, Date.now());
    if (silent > 0) this.#table.note(id, { silent: 0 });
  }

  /** When the run was heard of, as far as is known; a restart of the object counts as a sign of life, once. */
  heardOf({ id, silent }: TaskRow): number {
    return this.#heard.get(id) ?? (silent || this.#since);
  }

  /** Remembers beyond a restart that a run has not been heard of. */
  keep({ id, silent }: TaskRow): void {
    if (silent === 0 && !this.#heard.has(id)) this.#table.note(id, { silent: this.#since });
  }

  /** Starts the wait for a run again, because the run is being started or revived. */
  expect(id: string): void {
    this.#heard.set(id, Date.now());
  }

  forget(id: string): void {
    this.#heard.delete(id);
  }
}
