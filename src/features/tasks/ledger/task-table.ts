/** The SQL tables of a ledger of tasks. Reads and writes rows; ledger.ts decides when. */
import type { TaskStatus } from "../../../core/model/task-state.ts";
import type { Asked, NewTask, StoredTask, TaskFailure, TaskKey } from "../../../core/ports/task-ledger.ts";
import { Tables } from "../../../stores/tables.ts";

/**
 * The tables have no row ids and only one index, because an entry of an index is another row to write, and to pay for.
 * Each look at a task asks for its keys, and there may be a hundred thousand of them.
 */
const SCHEMA = `
  CREATE TABLE tasks (id TEXT PRIMARY KEY, partition TEXT, status TEXT, created INTEGER, updated INTEGER,
    expires INTEGER, sequence INTEGER, runs INTEGER, revivals INTEGER, repeatable INTEGER, checkpoint INTEGER,
    watched INTEGER, attempt TEXT, silent INTEGER, failure TEXT) WITHOUT ROWID;
  CREATE TABLE texts (task TEXT, kind TEXT, part INTEGER, text TEXT, PRIMARY KEY (task, kind, part)) WITHOUT ROWID;
  CREATE TABLE keys (key TEXT PRIMARY KEY, task TEXT, fingerprint TEXT, freed INTEGER) WITHOUT ROWID;
  CREATE TABLE questions (task TEXT, place INTEGER, name TEXT, question TEXT, answer TEXT, taken INTEGER,
    PRIMARY KEY (task, name)) WITHOUT ROWID;
  CREATE TABLE steps (task TEXT, name TEXT, run INTEGER, PRIMARY KEY (task, name)) WITHOUT ROWID;
  CREATE INDEX held ON keys (task)`;

/** The most characters of a text in one row, all ASCII: a row can have 2 MB. */
const PART = 1_000_000;

/** Calls of up to this weight are not counted: a hundred of them, the default limit, take 1.6 MB. */
export const SMALL_CALL = 16_384;

/** The texts of a task, all sealed but for the weight. In a table of their own, so that reading rows does not load them. */
export type TextKind = "head" | "call" | "report" | "result" | "weight";

const UNFINISHED = "status IN ('working', 'input_required')";
const STOPPING = "status = 'cancelled' AND attempt IS NOT NULL";

/** A task with a run that has not ended: it is unfinished, or was cancelled. */
type Running = Pick<TaskRow, "id" | "status" | "expires">;

/** The name of a row among the keys of a task: all of them are freed when its result is delivered. */
const allFreed = (id: string) => `all of ${id}`;

export interface TaskRow {
  readonly id: string;
  readonly partition: string;
  readonly status: TaskStatus;
  readonly created: number;
  readonly updated: number;
  readonly expires: number;
  /** Changes with every state that callers see. */
  readonly sequence: number;
  readonly runs: number;
  /** How often the watchdog has run it again. */
  readonly revivals: number;
  readonly repeatable: number;
  /**
   * 1 if it has done a step, 0 if it has done none; -1 if an earlier version of the code did one, which was not kept.
   */
  readonly checkpoint: number;
  readonly watched: number;
  /** Identifies its latest run; null if there is none, or it has ended after the task was cancelled. */
  readonly attempt: string | null;
  /** Since when its run may have been silent, if the object has restarted since it was last heard of; else 0. */
  readonly silent: number;
  readonly failure: TaskFailure | null;
}

export class TaskTable {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** The tasks with a run, by id: the table may have a hundred thousand others. Loaded when first needed. */
  #running: Map<string, Running> | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#tables = new Tables(storage, SCHEMA, "tasks");
  }

  get exists(): boolean {
    return this.#tables.exist;
  }

  /** @returns undefined if there is no such task, or it has expired */
  read(id: string, now: number): TaskRow | undefined {
    return this.#tables.rows<TaskRow>("SELECT * FROM tasks WHERE id = ? AND expires > ?", id, now)[0];
  }

  /** How many tasks are unfinished, or were cancelled and have a run that has not ended. */
  countRunning(now: number): number {
    return [...this.#allRunning().values()].filter(({ expires }) => expires > now).length;
  }

  /** What the calls of the tasks with a run weigh together, with their answers, but for small ones. */
  runningWeight(): number {
    return [...this.#allRunning().keys()].reduce((sum, id) => sum + this.weightOf(id), 0);
  }

  /** Adds to what a task weighs, unless it is small. */
  addWeight(id: string, weight: number): void {
    if (weight > SMALL_CALL) this.keepText(id, "weight", String(this.weightOf(id) + weight));
  }

  /** What the call and the answers of a task weigh, but for small ones. */
  weightOf(id: string): number {
    return Number(this.text(id, "weight") ?? 0);
  }

  unfinished(): TaskRow[] {
    const ids = [...this.#allRunning().values()].filter(isUnfinished).map(({ id }) => id);
    return ids.flatMap((id) => this.#tables.rows<TaskRow>("SELECT * FROM tasks WHERE id = ?", id));
  }

  #allRunning(): Map<string, Running> {
    const query = `SELECT id, status, expires FROM tasks WHERE ${UNFINISHED} OR ${STOPPING}`;
    this.#running ??= new Map(this.#tables.rows<Running>(query).map((one) => [one.id, one]));
    return this.#running;
  }

  /** Updates the tasks with a run. Call it when a row was changed. */
  #follow(id: string): void {
    if (this.#running === undefined) return;
    const query = `SELECT id, status, expires FROM tasks WHERE id = ? AND (${UNFINISHED} OR ${STOPPING})`;
    const [row] = this.#tables.rows<Running>(query, id);
    if (row) this.#running.set(id, row);
    else this.#running.delete(id);
  }

  insert({ id, partition, head, call, weight, isRepeatable, ttlMs }: NewTask, now: number): void {
    this.#tables.make();
    this.#sql.exec(
      "INSERT INTO tasks VALUES (?, ?, 'working', ?, ?, ?, 0, 0, 0, ?, 0, 0, NULL, 0, NULL)",
      ...[id, partition, now, now, now + ttlMs, isRepeatable ? 1 : 0],
    );
    this.#follow(id);
    this.keepText(id, "head", head);
    this.keepText(id, "call", call);
    this.addWeight(id, weight);
  }

  /** Changes columns that callers see, and the row's sequence. */
  update(id: string, changes: Partial<TaskRow>, now: number): void {
    this.#change(id, { ...changes, updated: now }, ["sequence = sequence + 1"]);
  }

  /** Changes columns that callers do not see. */
  note(id: string, changes: Partial<TaskRow>): void {
    this.#change(id, changes, []);
  }

  #change(id: string, changes: Partial<TaskRow>, more: readonly string[]): void {
    const set = [...Object.keys(changes).map((column) => `${column} = ?`), ...more].join(", ");
    this.#sql.exec(`UPDATE tasks SET ${set} WHERE id = ?`, ...(Object.values(changes) as SqlStorageValue[]), id);
    this.#follow(id);
  }

  holderOf(key: string, now: number): { readonly task: string; readonly fingerprint: string } | undefined {
    const query = "SELECT task, fingerprint FROM keys JOIN tasks ON tasks.id = keys.task WHERE key = ? AND expires > ?";
    return this.#tables.rows<{ task: string; fingerprint: string }>(query, key, now)[0];
  }

  give(id: string, { key, fingerprint, isFreed }: TaskKey): void {
    const freed = isFreed || this.holderOf(allFreed(id), Date.now()) ? 1 : 0;
    this.#sql.exec("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)", key, id, fingerprint, freed);
  }

  countKeys(id: string): number {
    return this.#tables.rows<{ count: number }>("SELECT COUNT(*) AS count FROM keys WHERE task = ?", id)[0]?.count ?? 0;
  }

  /** From now on, a delivered result frees all of the task's keys. */
  freeOnDelivery(id: string): void {
    if (this.countKeys(id) > 0) this.give(id, { key: allFreed(id), fingerprint: "", isFreed: true });
    this.#sql.exec("UPDATE keys SET freed = 1 WHERE task = ?", id);
  }

  /** @param all whether to free all of the task's keys, not only those that a delivered result frees */
  free(id: string, all: boolean): void {
    this.#sql.exec(`DELETE FROM keys WHERE task = ?${all ? "" : " AND freed = 1"}`, id);
  }

  asked(id: string): Asked[] {
    const query = "SELECT name, question, answer FROM questions WHERE task = ? ORDER BY place";
    const rows = this.#tables.rows<{ name: string; question: string; answer: string | null }>(query, id);
    return rows.map(({ name, question, answer }) => ({ name, question, answer: answer ?? undefined }));
  }

  /** The questions that have no answer, in order. */
  open(id: string): Pick<Asked, "name" | "question">[] {
    const query = "SELECT name, question FROM questions WHERE task = ? AND answer IS NULL ORDER BY place";
    return this.#tables.rows(query, id);
  }

  /** The answers with which no run has gone on, by name. */
  untaken(id: string): Record<string, string> {
    const query = "SELECT name, answer FROM questions WHERE task = ? AND taken = 0 AND answer IS NOT NULL";
    const rows = this.#tables.rows<{ name: string; answer: string }>(query, id);
    return Object.fromEntries(rows.map(({ name, answer }) => [name, answer]));
  }

  /** How many characters the questions and answers of a task have. */
  askedLength(id: string): number {
    const query = "SELECT SUM(LENGTH(question) + IFNULL(LENGTH(answer), 0)) AS length FROM questions WHERE task = ?";
    return this.#tables.rows<{ length: number | null }>(query, id)[0]?.length ?? 0;
  }

  ask(id: string, name: string, question: string): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO questions SELECT ?, COUNT(*), ?, ?, NULL, 0 FROM questions WHERE task = ?",
      ...[id, name, question, id],
    );
  }

  answer(id: string, name: string, answer: string): void {
    this.#sql.exec(
      "UPDATE questions SET answer = ? WHERE task = ? AND name = ? AND answer IS NULL",
      ...[answer, id, name],
    );
  }

  /** Notes that a run goes on with the answer to a question. */
  take(id: string, name: string): void {
    this.#sql.exec("UPDATE questions SET taken = 1 WHERE task = ? AND name = ?", id, name);
  }

  /** Whether some question has no answer yet, or an answer with which no run has gone on. */
  isWaiting(id: string): boolean {
    return this.#tables.rows("SELECT 1 FROM questions WHERE task = ? AND taken = 0 LIMIT 1", id).length > 0;
  }

  /** The steps with `once` that some run has entered. */
  entered(id: string): string[] {
    return this.#tables.rows<{ name: string }>("SELECT name FROM steps WHERE task = ?", id).map(({ name }) => name);
  }

  /** @returns whether no other run has entered the step */
  enter(id: string, run: number, step: string): boolean {
    this.#sql.exec("INSERT OR IGNORE INTO steps VALUES (?, ?, ?)", id, step, run);
    const query = "SELECT run FROM steps WHERE task = ? AND name = ?";
    return this.#tables.rows<{ run: number }>(query, id, step)[0]?.run === run;
  }

  /** Keeps the result in the row of the call, which only a run needs: that is one row to write, not two. */
  keepResult(id: string, text: string): void {
    const query = "UPDATE texts SET kind = 'result', text = ? WHERE task = ? AND kind = 'call' AND part = 0";
    this.keepText(id, "result", text, this.#sql.exec(query, text.slice(0, PART), id).rowsWritten);
  }

  /** @param part the first part that is not stored yet */
  keepText(id: string, kind: TextKind, text: string, part = 0): void {
    for (; part * PART < text.length; part++) {
      const piece = text.slice(part * PART, (part + 1) * PART);
      this.#sql.exec("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)", id, kind, part, piece);
    }
    // An earlier text may have been longer.
    this.#forgetText(id, kind, part);
  }

  /** @returns undefined if the task has no such text */
  text(id: string, kind: TextKind): string | undefined {
    const query = "SELECT text FROM texts WHERE task = ? AND kind = ? ORDER BY part";
    const parts = this.#tables.rows<{ text: string }>(query, id, kind);
    return parts.map(({ text }) => text).join("") || undefined;
  }

  /** Whether the sealed result has over a million characters: about 750 KB of JSON. */
  hasLargeResult(id: string): boolean {
    return this.#tables.rows("SELECT 1 FROM texts WHERE task = ? AND kind = 'result' AND part = 1", id).length > 0;
  }

  #forgetText(id: string, kind: TextKind, fromPart = 0): void {
    this.#sql.exec("DELETE FROM texts WHERE task = ? AND kind = ? AND part >= ?", id, kind, fromPart);
  }

  /** Forgets what only a run needs. @param isHeld whether its run holds the call nevertheless: then its weight counts */
  forgetRun(id: string, isHeld = false): void {
    this.#forgetText(id, "call");
    if (!isHeld) this.#forgetText(id, "weight");
    for (const table of ["questions", "steps"]) this.#sql.exec(`DELETE FROM ${table} WHERE task = ?`, id);
  }

  forget(id: string): void {
    for (const table of ["keys", "questions", "steps", "texts"])
      this.#sql.exec(`DELETE FROM ${table} WHERE task = ?`, id);
    this.#sql.exec("DELETE FROM tasks WHERE id = ?", id);
    this.#follow(id);
  }

  expired(now: number): TaskRow[] {
    return this.#tables.rows("SELECT * FROM tasks WHERE expires <= ?", now);
  }

  /** When the next task expires; undefined if there are no tasks. */
  nextExpiry(): number | undefined {
    return this.#tables.rows<{ at: number | null }>("SELECT MIN(expires) AS at FROM tasks")[0]?.at ?? undefined;
  }

  /** Whether all tasks have expired. */
  isOver(now: number): boolean {
    return this.#tables.rows("SELECT 1 FROM tasks WHERE expires > ? LIMIT 1", now).length === 0;
  }

  /** Removes the indexes that earlier versions made. None is needed. */
  tidy(): void {
    this.#sql.exec("DROP INDEX IF EXISTS unfinished; DROP INDEX IF EXISTS stopping; DROP INDEX IF EXISTS expiry");
  }

  /** Removes the whole storage of the object. */
  remove(): Promise<void> {
    this.#running = undefined;
    return this.#tables.remove();
  }

  view(row: TaskRow, withResult = true): StoredTask {
    const { id, status, created, updated, expires, sequence, failure } = row;
    const isEnded = !isUnfinished(row);
    const open = status === "input_required" ? this.open(id) : [];
    return {
      ...{ id, status, created, updated, expires, sequence },
      head: this.text(id, "head") ?? "",
      report: this.text(id, "report"),
      questions: Object.fromEntries(open.map(({ name, question }) => [name, question])),
      result: withResult ? this.text(id, "result") : undefined,
      isAwaited: isEnded && this.#tables.rows("SELECT 1 FROM keys WHERE task = ? AND freed = 1 LIMIT 1", id).length > 0,
      failure: failure ?? undefined,
    };
  }
}

export function isUnfinished({ status }: Pick<TaskRow, "status">): boolean {
  return status === "working" || status === "input_required";
}
