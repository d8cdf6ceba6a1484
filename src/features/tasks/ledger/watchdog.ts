/** Looks after the runs of tasks: one that gives no sign of life for the length of its lease runs again, or fails. */
import type { TaskFailure } from "../../../core/ports/task-ledger.ts";
import type { LedgerDependencies } from "./ledger-dependencies.ts";
import type { SignsOfLife } from "./signs-of-life.ts";
import { isUnfinished, type TaskRow, type TaskTable } from "./task-table.ts";

const MAX_REVIVALS = 10;
/** The most tasks that one alarm looks after: each takes some requests, and an invocation can have 1,000. */
const MAX_RESCUES = 100;

export class Watchdog {
  readonly #dependencies: Pick<LedgerDependencies, "engine" | "leaseMs" | "report">;
  readonly #table: TaskTable;
  readonly #signs: SignsOfLife;
  readonly #fail: (id: string, failure: TaskFailure) => void;

  constructor(
    dependencies: Pick<LedgerDependencies, "engine" | "leaseMs" | "report">,
    table: TaskTable,
    signs: SignsOfLife,
    fail: (id: string, failure: TaskFailure) => void,
  ) {
    this.#dependencies = dependencies;
    this.#table = table;
    this.#signs = signs;
    this.#fail = fail;
  }

  /** When the first lease ends, or the first unfinished task expires, in milliseconds since 1970. */
  get nextCheck(): number {
    const { leaseMs } = this.#dependencies;
    const ends = this.#table.unfinished().map((row) => Math.min(this.#signs.heardOf(row) + leaseMs, row.expires));
    return Math.min(...ends);
  }

  async rescueAll(now: number): Promise<void> {
    const { leaseMs, report } = this.#dependencies;
    const silent: string[] = [];
    for (const row of this.#table.unfinished()) {
      if (this.#signs.heardOf(row) + leaseMs <= now) silent.push(row.id);
      else this.#signs.keep(row);
    }
    const rescuing = silent.slice(0, MAX_RESCUES).map((id) => {
      this.#signs.expect(id);
      return this.#rescue(id, now).catch((error) => report("task not rescued", error));
    });
    await Promise.all(rescuing);
  }

  async #rescue(id: string, now: number): Promise<void> {
    const row = this.#table.read(id, now);
    if (row === undefined || !isUnfinished(row)) return;
    const { partition, runs, revivals } = row;
    const { engine } = this.#dependencies;
    if (!mayRun(row, this.#table)) return this.#fail(id, "interrupted");
    if (revivals >= MAX_REVIVALS) return this.#fail(id, "lost");
    this.#table.note(id, { revivals: revivals + 1 });
    if (runs === 0) await engine.start(id, partition);
    else if (!(await engine.revive(id))) this.#fail(id, "interrupted");
  }
}

/**
 * Whether a task may run: for the first time, or again after its run was cut short. One that has not gone on with the
 * answer to a question may, because a tool asks before it acts (docs/asking.md), unless steps would be repeated.
 */
export function mayRun({ id, runs, repeatable, checkpoint }: TaskRow, table: TaskTable): boolean {
  return runs === 0 || repeatable === 1 || checkpoint === 1 || (checkpoint === 0 && table.isWaiting(id));
}
