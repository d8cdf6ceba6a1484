/** Which tasks have ended that the outbox does not know of yet: kept with the task's end, until it does. */
import type { LedgerParts } from "./ledger.ts";
import type { TaskTable } from "./task-table.ts";

const KEY = "untold ";
/** Tasks that one alarm tells of: each takes a request, and an invocation can make 1,000. */
const MAX_TOLD = 100;

export class News {
  readonly #parts: Pick<LedgerParts, "storage" | "announce" | "report">;
  readonly #table: TaskTable;

  constructor(parts: Pick<LedgerParts, "storage" | "announce" | "report">, table: TaskTable) {
    this.#parts = parts;
    this.#table = table;
  }

  /** Whether there is something to tell. */
  get isLeft(): boolean {
    return this.#parts.announce !== undefined && this.#untold(1).length > 0;
  }

  /** Call it in the step that ends a task. If the outbox cannot be told now, the alarm tells it. */
  keep(id: string): void {
    if (this.#parts.announce === undefined) return;
    this.#parts.storage.kv.put(KEY + id, true);
    this.#tell(id);
  }

  async tellAll(): Promise<void> {
    if (this.#parts.announce) await Promise.all(this.#untold(MAX_TOLD).map((id) => this.#tell(id)));
  }

  #untold(limit: number): string[] {
    return Array.from(this.#parts.storage.kv.list({ prefix: KEY, limit }), ([key]) => key.slice(KEY.length));
  }

  async #tell(id: string): Promise<void> {
    const { announce, storage, report } = this.#parts;
    const row = this.#table.read(id, Date.now());
    try {
      if (row) await announce?.(row.partition, this.#table.view(row));
      storage.kv.delete(KEY + id);
    } catch (error) {
      report("end of task not announced", error);
    }
  }
}
