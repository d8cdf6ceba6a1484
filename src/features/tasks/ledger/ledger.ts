/**
 * The ledger of tasks, in a Durable Object: one for each principal. It starts runs, and watches over them: a run that
 * gives no sign of life for the length of its lease is run again from its last checkpoint, or the task fails. So no
 * task stays unfinished for ever, whatever happens to the engine.
 */
import { RpcTarget } from "cloudflare:workers";
import {
  type Begun,
  type Held,
  MAX_ASKED_BYTES,
  type NewTask,
  type Started,
  type StoredTask,
  type TaskFailure,
  type TaskKey,
  type TaskLedger,
  type TaskOfCall,
} from "../../../core/ports/task-ledger.ts";
import { EndsToAnnounce } from "./ends-to-announce.ts";
import type { LedgerDependencies } from "./ledger-dependencies.ts";
import { fits, hasRoom, refusalOf } from "./room.ts";
import { SignsOfLife } from "./signs-of-life.ts";
import { isUnfinished, type TaskRow, TaskTable } from "./task-table.ts";
import { mayRun, Watchdog } from "./watchdog.ts";

/** The most keys that lead to one task: each call that joins it without a key of its own adds one. */
const MAX_KEYS = 1_000;
/** How long the alarm waits at least before it looks for expired tasks again: each time, it reads all rows. */
const EXPIRY_PAUSE_MS = 60_000;
/**
 * The pause between two large results that are given out, in milliseconds. Each has up to 10 MB and takes several times
 * that while it is opened and sent, and an isolate has 128 MB.
 */
const LARGE_PAUSE_MS = 2_000;
/** How long a caller waits for a large result before it is told to come again, in milliseconds. */
const LARGE_WAIT_MS = 10_000;
/** How often it is checked whether a large result may be given out, in milliseconds. */
const TURN_MS = 100;

/** The task to which the keys of a call lead, or why the call may not join it. */
type Found = Pick<TaskRow, "id"> | Exclude<Held, TaskOfCall>;

/** The state and the rules of a ledger. Callers reach it through its object (claims-with-tasks.ts). */
export class Ledger extends RpcTarget implements TaskLedger {
  readonly #dependencies: LedgerDependencies;
  readonly #table: TaskTable;
  readonly #signs: SignsOfLife;
  readonly #endsToAnnounce: EndsToAnnounce;
  readonly #watchdog: Watchdog;
  /** When the next large result may be given out, in milliseconds since 1970. */
  #nextLarge = 0;

  constructor(dependencies: LedgerDependencies) {
    super();
    this.#dependencies = dependencies;
    this.#table = new TaskTable(dependencies.storage);
    this.#signs = new SignsOfLife(this.#table);
    this.#endsToAnnounce = new EndsToAnnounce(dependencies, this.#table);
    const fail = (id: string, failure: TaskFailure) => this.#end(id, { status: "failed", failure });
    this.#watchdog = new Watchdog(dependencies, this.#table, this.#signs, fail);
  }

  get exists(): boolean {
    return this.#table.exists;
  }

  async find(keys: readonly TaskKey[]): Promise<Held | undefined> {
    const found = this.#find(keys);
    return found && this.#held(found);
  }

  /** Makes an answer to the caller of what was found by its keys. */
  async #held(found: Found): Promise<Held | undefined> {
    if (!("id" in found)) return found;
    const task = await this.#view(found.id);
    return task && { state: "joined", task };
  }

  #find(keys: readonly TaskKey[]): Found | undefined {
    const now = Date.now();
    for (const { key, fingerprint } of keys) {
      const holder = this.#table.holderOf(key, now);
      if (holder === undefined) continue;
      if (holder.fingerprint !== fingerprint) return { state: "conflict" };
      const row = this.#table.read(holder.task, now);
      if (row === undefined) return undefined;
      // Each call that joins leaves its own keys, which lead it back to the task. Each look at the task reads all keys.
      const further = keys.filter((other) => !other.isEarlier && !this.#table.holderOf(other.key, now));
      const isFull = further.length > 0 && this.#table.countKeys(row.id) >= MAX_KEYS;
      if (isFull && isUnfinished(row)) return { state: "crowded" };
      if (!isFull) for (const other of further) this.#table.give(holder.task, other);
      return row;
    }
    return undefined;
  }

  async start(given: NewTask): Promise<Started> {
    // Earlier versions of the Worker do not say what the call weighs.
    const task = { ...given, weight: given.weight ?? given.call.length };
    const alarm = await this.#dependencies.storage.getAlarm();
    const now = Date.now();
    const own = this.#table.read(task.id, now) && (await this.#view(task.id));
    if (own) return { state: "started", task: own };
    const found = this.#find(task.keys);
    // If the task that was found has expired while its result waited for its turn, look again.
    if (found) return (await this.#held(found)) ?? this.start(task);
    const refusal = refusalOf(task, this.#table, this.#dependencies.storage, now);
    if (refusal) return { state: refusal };
    this.#table.insert(task, now);
    for (const key of task.keys) if (!key.isEarlier) this.#table.give(task.id, key);
    this.#signs.expect(task.id);
    // Not awaited, so that no task is ever stored without an alarm.
    const ringsAt = now + Math.min(this.#dependencies.leaseMs, task.ttlMs);
    const ringing = alarm !== null && alarm <= ringsAt ? undefined : this.#dependencies.storage.setAlarm(ringsAt);
    // Not awaited either: if this fails, the watchdog starts the task.
    this.#attempt("task not started", this.#dependencies.engine.start(task.id, task.partition));
    const view = this.#table.view(this.#table.read(task.id, now) as TaskRow);
    await ringing;
    return { state: "started", task: view };
  }

  async read(id: string, withResult: boolean | "unless_large" = true): Promise<StoredTask | undefined> {
    if (withResult !== "unless_large") return this.#view(id, withResult);
    const isHeldBack = this.#table.hasLargeResult(id);
    const task = await this.#view(id, !isHeldBack);
    return task && isHeldBack ? { ...task, isHeldBack } : task;
  }

  /** Shows a task. One whose large result has to wait for too long looks as it did before it ended. */
  async #view(id: string, withResult = true): Promise<StoredTask | undefined> {
    const mayShow = !withResult || !this.#table.hasLargeResult(id) || (await this.#turn());
    const row = this.#table.read(id, Date.now());
    if (row === undefined) return undefined;
    if (mayShow) return this.#table.view(row, withResult);
    const { sequence, ...view } = this.#table.view(row, false);
    // The end of a task is its last change.
    return { ...view, status: "working", sequence: sequence - 1, isAwaited: false, isHeldBack: true };
  }

  /** Waits for the turn to give out a large result. @returns whether it has come in time */
  async #turn(): Promise<boolean> {
    for (const until = Date.now() + LARGE_WAIT_MS; Date.now() < this.#nextLarge; ) {
      if (Date.now() >= until) return false;
      await new Promise((resume) => setTimeout(resume, TURN_MS));
    }
    this.#nextLarge = Date.now() + LARGE_PAUSE_MS;
    return true;
  }

  async answer(
    id: string,
    answers: Readonly<Record<string, string>>,
    // A Worker of an earlier version gives neither.
    ttlMs = 0,
    weight?: number,
  ): Promise<boolean | "no_room" | "too_large" | "full"> {
    const now = Date.now();
    const row = this.#table.read(id, now);
    if (row === undefined) return false;
    if (!isUnfinished(row)) return true;
    const waiting = new Set(this.#table.open(id).map(({ name }) => name));
    const given = Object.entries(answers).filter(([name]) => waiting.has(name));
    if (given.length === 0) return true;
    const text = given.map(([, answer]) => answer).join("");
    if (!hasRoom(this.#dependencies.storage, text)) return "no_room";
    const added = weight ?? text.length;
    const isTooLong = this.#table.askedLength(id) + text.length > MAX_ASKED_BYTES;
    // The end of no other task would make room.
    if (isTooLong || !fits(added, this.#table.weightOf(id))) return "too_large";
    if (!fits(added, this.#table.runningWeight())) return "full";
    this.#table.addWeight(id, added);
    for (const [name, answer] of given) this.#table.answer(id, name, answer);
    const isOpen = this.#table.open(id).length > 0;
    const expires = Math.max(row.expires, now + ttlMs);
    this.#update(row, { status: isOpen ? "input_required" : "working", expires });
    for (const [name] of given) this.#attempt("task not woken", this.#dependencies.engine.wake(id, name));
    return true;
  }

  async cancel(id: string): Promise<boolean> {
    const row = this.#table.read(id, Date.now());
    if (row === undefined || !isUnfinished(row)) return row !== undefined;
    const open = this.#table.open(id);
    // If there is a run, the keys are freed when it has ended: until then, the same call must not run beside it.
    if (row.runs === 0) this.#table.free(id, true);
    this.#end(id, { status: "cancelled" });
    // The engine is not stopped: the run hears of it at its next sign of life, and its tool may still clean up.
    for (const { name } of open) this.#attempt("task not woken", this.#dependencies.engine.wake(id, name));
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

  async begin(id: string, attempt: string): Promise<Begun | undefined> {
    const row = this.#table.read(id, Date.now());
    // The engine begins a run again only if the last one was cut short.
    if (row && row.attempt !== attempt) this.#endCancelled(id, row.runs);
    const call = row && this.#table.text(id, "call");
    if (row === undefined || call === undefined || !isUnfinished(row)) return undefined;
    const isSame = row.attempt === attempt;
    if (!isSame && !mayRun(row, this.#table)) {
      this.#end(id, { status: "failed", failure: "interrupted" });
      return undefined;
    }
    const run = isSame ? row.runs : row.runs + 1;
    if (!isSame) this.#table.note(id, { runs: run, attempt });
    this.#signs.hear(row);
    return { run, call, asked: this.#table.asked(id), entered: this.#table.entered(id) };
  }

  async beat(id: string, run: number, report?: string): Promise<Readonly<Record<string, string>> | undefined> {
    const row = this.#current(id, run);
    if (row === undefined) return undefined;
    if (report !== undefined) {
      this.#table.keepText(id, "report", report);
      this.#update(row, {});
    }
    return this.#table.untaken(id);
  }

  async ask(id: string, run: number, name: string, question: string): Promise<boolean> {
    const row = this.#current(id, run);
    if (row === undefined) return false;
    this.#table.ask(id, name, question);
    this.#update(row, { status: "input_required" });
    return true;
  }

  async take(id: string, run: number, name: string): Promise<boolean> {
    const row = this.#current(id, run);
    if (row) this.#table.take(id, name);
    return row !== undefined;
  }

  async checkpoint(id: string, run: number): Promise<boolean> {
    const row = this.#current(id, run);
    if (row?.checkpoint === 0) this.#table.note(id, { checkpoint: 1 });
    return row !== undefined;
  }

  async enter(id: string, run: number, step: string): Promise<boolean | undefined> {
    return this.#current(id, run) && this.#table.enter(id, run, step);
  }

  async finish(id: string, run: number, result: string, isFinal: boolean, goesOn = false): Promise<boolean> {
    const row = this.#current(id, run);
    if (row === undefined) {
      this.#endCancelled(id, run, goesOn);
      return false;
    }
    if (!hasRoom(this.#dependencies.storage, result)) {
      this.#end(id, { status: "failed", failure: "no_room" });
      return true;
    }
    this.#table.keepResult(id, result);
    // The call may be repeated once its caller knows how it ended: until then, its key leads here.
    if (!isFinal) this.#table.freeOnDelivery(id);
    this.#end(id, { status: "completed" });
    return true;
  }

  async fail(id: string, run: number, failure: TaskFailure): Promise<boolean> {
    const row = this.#current(id, run);
    if (row) this.#end(id, { status: "failed", failure });
    else this.#endCancelled(id, run);
    return row !== undefined;
  }

  /** Gives up the place of a cancelled task whose run has ended, and its keys, unless its tool goes on. */
  #endCancelled(id: string, run: number, goesOn = false): void {
    const row = this.#table.read(id, Date.now());
    if (row?.status !== "cancelled" || row.runs !== run || row.attempt === null) return;
    if (!goesOn) this.#table.free(id, true);
    this.#table.forgetRun(id);
    this.#table.note(id, { attempt: null });
  }

  /** Looks after runs that have not been heard of, and forgets tasks that have expired. */
  async alarm(): Promise<void> {
    const now = Date.now();
    for (const row of this.#table.unfinished()) if (row.expires <= now) this.#expire(row, now);
    const isOver = this.#table.isOver(now);
    for (const { id } of this.#table.expired(now)) {
      this.#signs.forget(id);
      // If the whole storage is removed, its rows need not be: each would cost.
      if (!isOver) this.#table.forget(id);
    }
    if (isOver) return this.#table.remove();
    this.#table.tidy();
    await Promise.all([this.#watchdog.rescueAll(now), this.#endsToAnnounce.announceAll()]);
    const { leaseMs, storage } = this.#dependencies;
    let next = Math.max(this.#table.nextExpiry() ?? now, now + EXPIRY_PAUSE_MS);
    if (this.#endsToAnnounce.isLeft) next = Math.min(next, now + leaseMs);
    await storage.setAlarm(Math.min(next, this.#watchdog.nextCheck));
  }

  /** The row of a task, if this run is its latest and the task has not ended. Counts as a sign of life. */
  #current(id: string, run: number): TaskRow | undefined {
    const row = this.#table.read(id, Date.now());
    if (row === undefined || row.runs !== run || !isUnfinished(row)) return undefined;
    this.#signs.hear(row);
    return row;
  }

  /** Ends a task, unless it has ended already. */
  #end(id: string, changes: Partial<TaskRow>): void {
    const row = this.#table.read(id, Date.now());
    if (row === undefined || !isUnfinished(row)) return;
    this.#signs.forget(id);
    // The run of a cancelled task holds its call until it hears of it.
    this.#table.forgetRun(id, changes.status === "cancelled" && row.attempt !== null);
    this.#update(row, changes);
    this.#endsToAnnounce.add(id);
    if (changes.failure) this.#dependencies.report(`task ${changes.failure}`, new Error(`The task ${id} has failed`));
    if (changes.status === "failed") this.#attempt("task not stopped", this.#dependencies.engine.stop(id));
  }

  /**
   * Ends a task that was not done when it expired. It is kept for as long again, without its keys, so that its callers
   * can be told: an outbox may be full for a day.
   */
  #expire({ id, created, expires }: TaskRow, now: number): void {
    this.#table.note(id, { expires: now + expires - created });
    this.#table.free(id, true);
    this.#end(id, { status: "failed", failure: "expired" });
  }

  #update({ id, watched }: TaskRow, changes: Partial<TaskRow>): void {
    this.#table.update(id, changes, Date.now());
    if (watched === 1) this.#attempt("task not published", this.#dependencies.publish(id));
  }

  #attempt(message: string, work: Promise<unknown>): void {
    work.catch((error) => this.#dependencies.report(message, error));
  }
}
