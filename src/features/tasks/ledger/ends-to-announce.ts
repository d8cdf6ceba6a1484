/** Notes the tasks that have ended and that the outbox does not know of yet, each in the step that ends it. */
import type { LedgerDependencies } from "./ledger-dependencies.ts";
import type { TaskTable } from "./task-table.ts";

const KEY = "untold ";
/** The most tasks that one alarm announces: each takes a request, and an invocation can make 1,000. */
const MAX_ANNOUNCED = 100;

export class EndsToAnnounce {
  readonly #dependencies: Pick<LedgerDependencies, "storage" | "announce" | "report">;
  readonly #table: TaskTable;

  constructor(dependencies: Pick<LedgerDependencies, "storage" | "announce" | "report">, table: TaskTable) {
    this.#dependencies = dependencies;
    this.#table = table;
  }

  /** Whether a task is left to announce. */
  get isLeft(): boolean {
    return this.#dependencies.announce !== undefined && this.#ids(1).length > 0;
  }

  /** Call it in the step that ends a task. If the outbox cannot be reached now, the alarm tries again. */
  add(id: string): void {
    if (this.#dependencies.announce === undefined) return;
    this.#dependencies.storage.kv.put(KEY + id, true);
    this.#announce(id);
  }

  async announceAll(): Promise<void> {
    if (this.#dependencies.announce === undefined) return;
    // If the outbox is full, it is also full for the next.
    for (const id of this.#ids(MAX_ANNOUNCED)) if ((await this.#announce(id)) === "full") return;
  }

  #ids(limit: number): string[] {
    return Array.from(this.#dependencies.storage.kv.list({ prefix: KEY, limit }), ([key]) => key.slice(KEY.length));
  }

  async #announce(id: string): Promise<"full" | undefined> {
    const { announce, storage, report } = this.#dependencies;
    const row = this.#table.read(id, Date.now());
    // A large result has no room in a message, so it is not even read.
    const isHeldBack = this.#table.hasLargeResult(id);
    try {
      if (row) await announce?.(row.partition, { ...this.#table.view(row, !isHeldBack), isHeldBack });
      storage.kv.delete(KEY + id);
    } catch (error) {
      report("end of task not announced", error);
      if (error instanceof Error && "fault" in error) return "full";
    }
    return undefined;
  }
}
