/**
 * The ledger of tasks, in a Durable Object: one for each principal. It starts runs, and watches over them: a run that
 * gives no sign of life for the length of its lease is run again from its last checkpoint, or the task fails. So no task
 * stays unfinished for ever, whatever happens to the engine.
 */
import { RpcTarget } from "cloudflare:workers";
import type {
  Begun,
  NewTask,
  Reading,
  Started,
  StoredTask,
  TaskFailure,
  TaskKey,
  TaskLedger,
} from "../core/ports/task-ledger.ts";
import { type TaskRow, TaskTable } from "./task-table.ts";

/** How often the watchdog has a task run again before it fails. */
const MAX_REVIVALS = 10;
/** Callers that may wait for one task at a time. */
const MAX_WAITING = 64;

/** Runs tasks. Each method may be called again, and rejects if the engine cannot be reached. */
export interface Engine {
  start(id: string, partition: string): Promise<void>;
  /** Runs a task again, whose run may have died. Keeps its checkpoints. @returns false if that is not possible */
  revive(id: string, partition: string): Promise<boolean>;
  stop(id: string): Promise<void>;
  /** Wakes a run that waits for an answer. */
  wake(id: string, question: string): Promise<void>;
}

/** What a ledger is made of. */
export interface LedgerParts {
  readonly storage: DurableObjectStorage;
  readonly engine: Engine;
  /** How long a run may go on without a sign of life, in milliseconds. */
  readonly leaseMs: number;
  /** Tells whoever watches the task that it has changed. Never rejects. */
  readonly publish: (id: string) => Promise<void>;
  readonly report: (message: string, error: unknown) => void;
}

/** The state and the rules of a ledger. Callers reach it through its object (claims-with-tasks.ts). */
export class Ledger extends RpcTarget implements TaskLedger {
  readonly #parts: LedgerParts;
  readonly #table: TaskTable;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** When each run was last heard of. In memory, because signs of life are many; a restart counts as one. */
  readonly #heard = new Map<string, number>();
  readonly #since = Date.now();

  constructor(parts: LedgerParts) {
    super();
    this.#parts = parts;
    this.#table = new TaskTable(parts.storage);
  }

  get exists(): boolean {
    return this.#table.exists;
  }

  async find(keys: readonly TaskKey[]): Promise<Exclude<Started, { state: "full" }> | undefined> {
    const now = Date.now();
    for (const { key, fingerprint } of keys) {
      const holder = this.#table.holderOf(key, now);
      if (holder === undefined) continue;
      if (holder.fingerprint !== fingerprint) return { state: "conflict" };
      for (const other of keys) if (!this.#table.holderOf(other.key, now)) this.#table.give(holder.task, other);
      const row = this.#table.read(holder.task, now);
      return row && { state: "joined", task: this.#table.view(row) };
    }
    return undefined;
  }

  async start(task: NewTask): Promise<Started> {
    const found = await this.find(task.keys);
    if (found) return found;
    const now = Date.now();
    if (this.#table.countUnfinished() >= task.limit) return { state: "full" };
    this.#table.insert(task, now);
    for (const key of task.keys) this.#table.give(task.id, key);
    this.#heard.set(task.id, now);
    await this.#setAlarm(now + this.#parts.leaseMs);
    // Not awaited: the task is stored now, and if this fails, the watchdog starts it.
    this.#attempt("task not started", this.#parts.engine.start(task.id, task.partition));
    return { state: "started", task: this.#table.view(this.#table.read(task.id, now) as TaskRow) };
  }

  async read(id: string, { known, waitMs = 0 }: Reading = {}): Promise<StoredTask | undefined> {
    const until = Date.now() + waitMs;
    for (;;) {
      const now = Date.now();
      const row = this.#table.read(id, now);
      if (row === undefined) return undefined;
      const isFull = (this.#waiting.get(id)?.size ?? 0) >= MAX_WAITING;
      if (row.sequence !== known || !isUnfinished(row) || now >= until || isFull) return this.#table.view(row);
      await this.#change(id, until - now);
    }
  }

  async answer(id: string, answers: Readonly<Record<string, string>>): Promise<boolean> {
    const now = Date.now();
    const row = this.#table.read(id, now);
    if (row === undefined) return false;
    if (!isUnfinished(row)) return true;
    const answered = Object.entries(answers).filter(([name, answer]) => this.#table.answer(id, name, answer));
    if (answered.length === 0) return true;
    const isOpen = this.#table.asked(id).some(({ answer }) => answer === undefined);
    this.#update(row, { status: isOpen ? "input_required" : "working" });
    for (const [name] of answered) this.#attempt("task not woken", this.#parts.engine.wake(id, name));
    return true;
  }

  async cancel(id: string): Promise<boolean> {
    const row = this.#table.read(id, Date.now());
    if (row === undefined || !isUnfinished(row)) return row !== undefined;
    const open = this.#table.asked(id).filter(({ answer }) => answer === undefined);
    this.#end(row, { status: "cancelled" }, true);
    // The engine is not stopped: the run hears of it at its next sign of life, and its tool may still clean up.
    for (const { name } of open) this.#attempt("task not woken", this.#parts.engine.wake(id, name));
    return true;
  }

  async deliver(id: string): Promise<void> {
    if (this.#table.exists) this.#table.free(id, false);
  }

  async watch(id: string): Promise<boolean> {
    const row = this.#table.read(id, Date.now());
    if (row && row.watched === 0) this.#table.note(id, { watched: 1 });
    return row !== undefined;
  }

  async begin(id: string): Promise<Begun | undefined> {
    const row = this.#table.read(id, Date.now());
    const call = row && this.#table.text(id, "call");
    if (row === undefined || call === undefined || !isUnfinished(row)) return undefined;
    if (row.runs > 0 && !mayRunAgain(row)) {
      this.#end(row, { status: "failed", failure: "interrupted" }, false);
      return undefined;
    }
    const run = row.runs + 1;
    this.#table.note(id, { runs: run });
    this.#heard.set(id, Date.now());
    return { run, call, asked: this.#table.asked(id) };
  }

  async beat(id: string, run: number, report?: string): Promise<Readonly<Record<string, string>> | undefined> {
    const row = this.#current(id, run);
    if (row === undefined) return undefined;
    if (report !== undefined) {
      this.#table.keepText(id, "report", report);
      this.#update(row, {});
    }
    const answered = this.#table.asked(id).flatMap(({ name, answer }) => (answer ? [[name, answer] as const] : []));
    return Object.fromEntries(answered);
  }

  async ask(id: string, run: number, name: string, question: string): Promise<boolean> {
    const row = this.#current(id, run);
    if (row === undefined) return false;
    this.#table.ask(id, name, question);
    this.#update(row, { status: "input_required" });
    return true;
  }

  async checkpoint(id: string, run: number): Promise<boolean> {
    const row = this.#current(id, run);
    if (row?.checkpoint === 0) this.#table.note(id, { checkpoint: 1 });
    return row !== undefined;
  }

  async enter(id: string, run: number, step: string): Promise<boolean> {
    return this.#current(id, run) !== undefined && this.#table.enter(id, step);
  }

  async finish(id: string, run: number, result: string, isFinal: boolean): Promise<boolean> {
    const row = this.#current(id, run);
    if (row === undefined) return false;
    this.#table.keepText(id, "result", result);
    // The call may be repeated once its caller knows how it ended: until then, its key leads here.
    if (!isFinal) this.#table.freeLater(id);
    this.#end(row, { status: "completed" }, false);
    return true;
  }

  async fail(id: string, run: number, failure: TaskFailure): Promise<boolean> {
    const row = this.#current(id, run);
    if (row) this.#end(row, { status: "failed", failure }, false);
    return row !== undefined;
  }

  /** The watchdog: looks after runs that have not been heard of, and forgets tasks that have expired. */
  async alarm(): Promise<void> {
    const now = Date.now();
    for (const row of this.#table.expired(now)) {
      if (isUnfinished(row)) this.#attempt("task not stopped", this.#parts.engine.stop(row.id));
      this.#table.forget(row.id);
      this.#wake(row.id);
    }
    const { leaseMs } = this.#parts;
    for (const row of this.#table.unfinished()) {
      if (this.#heardOf(row.id) + leaseMs > now) continue;
      this.#heard.set(row.id, now);
      await this.#rescue(row).catch((error) => this.#parts.report("task not rescued", error));
    }
    const watching = this.#table.unfinished().map(({ id }) => this.#heardOf(id) + leaseMs);
    const next = Math.min(...watching, this.#table.nextExpiry() ?? Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) await this.#table.remove();
    else await this.#parts.storage.setAlarm(next);
  }

  async #rescue(row: TaskRow): Promise<void> {
    const { id, partition, runs, revivals } = row;
    const { engine } = this.#parts;
    const fail = (failure: TaskFailure) => this.#end(row, { status: "failed", failure }, false);
    if (runs > 0 && !mayRunAgain(row)) return fail("interrupted");
    if (revivals >= MAX_REVIVALS) return fail("lost");
    this.#table.note(id, { revivals: revivals + 1 });
    if (runs === 0) await engine.start(id, partition);
    else if (!(await engine.revive(id, partition))) fail("lost");
  }

  /** The row of a task, if this run is its latest and the task has not ended. Counts as a sign of life. */
  #current(id: string, run: number): TaskRow | undefined {
    const row = this.#table.read(id, Date.now());
    if (row === undefined || row.runs !== run || !isUnfinished(row)) return undefined;
    this.#heard.set(id, Date.now());
    return row;
  }

  #heardOf(id: string): number {
    return this.#heard.get(id) ?? this.#since;
  }

  #end(row: TaskRow, changes: Partial<TaskRow>, freesKeys: boolean): void {
    const { id } = row;
    this.#heard.delete(id);
    this.#table.forgetRun(id);
    if (freesKeys) this.#table.free(id, true);
    this.#update(row, changes);
    if (changes.status === "failed") this.#attempt("task not stopped", this.#parts.engine.stop(id));
  }

  #update({ id, watched }: TaskRow, changes: Partial<TaskRow>): void {
    this.#table.update(id, changes, Date.now());
    this.#wake(id);
    if (watched === 1) this.#attempt("task not published", this.#parts.publish(id));
  }

  #attempt(message: string, work: Promise<unknown>): void {
    work.catch((error) => this.#parts.report(message, error));
  }

  async #setAlarm(at: number): Promise<void> {
    const alarm = await this.#parts.storage.getAlarm();
    if (alarm === null || alarm > at) await this.#parts.storage.setAlarm(at);
  }

  /** Resolves when the task changes, or after `ms` milliseconds. */
  #change(id: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      waiting.add(wake);
    });
  }

  #wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }
}

function isUnfinished({ status }: TaskRow): boolean {
  return status === "working" || status === "input_required";
}

/**
 * Whether a run that was cut short may run again. One that waited for an answer may: a tool asks before it acts
 * (docs/asking.md).
 */
function mayRunAgain({ repeatable, checkpoint, status }: TaskRow): boolean {
  return repeatable === 1 || checkpoint === 1 || status === "input_required";
}
