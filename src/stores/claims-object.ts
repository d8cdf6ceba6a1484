/**
 * A Durable Object that grants claims on idempotency keys atomically. One object holds the rows of many keys, near the
 * principal that uses them. It keeps a result itself for some minutes, until KV shows it everywhere, and after that
 * only a small marker, for as long as the key is valid. While the object can be reached, it guarantees that only one
 * runner at a time holds a key, and that a settled result is never lost. A runner that does not settle within its lease
 * is considered dead.
 */
import { DurableObject } from "cloudflare:workers";
import {
  claim,
  extend,
  forsake,
  type LeaseAttempt,
  type LeaseRow,
  type LeaseVerdict,
  mayRelease,
  type Settling,
  settle,
} from "../core/idempotency/lease.ts";
import { Tables } from "./tables.ts";

const SCHEMA =
  "CREATE TABLE claims (key TEXT PRIMARY KEY, fingerprint TEXT, token TEXT, again INTEGER, deadline INTEGER, " +
  "done INTEGER, expires INTEGER, record TEXT, copied INTEGER)";

/** How long the object keeps a result itself: far longer than KV takes to show it everywhere (60 s). */
const COPY_MS = 5 * 60_000;
/**
 * Maximum length of a result kept in the object, in characters, which are all ASCII: a row in SQLite can have 2 MB. A
 * longer record goes to KV before its key is settled.
 */
export const MAX_COPY = 1_800_000;

/** Results that one alarm copies to KV: one invocation can have 1,000 KV operations. */
const MAX_COPIES_PER_ALARM = 500;
/**
 * How long the alarm waits at least before it looks again, at what is due or at a failed write to KV. Each time, it reads
 * all rows; at once a second, an object in constant use would read billions of them in a month.
 */
const PAUSE_MS = 60_000;

/** Duplicates that may wait for one run at a time: each receives the whole result when it ends. */
const MAX_WAITING = 64;

/** The object's answer to a claim. `record` is JSON text of the result, if the object still has it. */
export type Found = Exclude<LeaseVerdict, { state: "done" }> | { readonly state: "done"; readonly record?: string };

/** A row of the table, with the JSON text of the result if the object still has it, and the time it was stored. */
interface StoredClaim {
  readonly row: LeaseRow;
  readonly record: string | null;
  readonly copied: number;
}

type Columns = Omit<LeaseRow, "done" | "again"> & {
  done: number;
  again: number;
  record: string | null;
  copied: number;
};

/** The object's interface. Each method is idempotent: a caller can repeat it with the same token. */
export type Claims = Pick<ClaimsObject, "claim" | "settle" | "extend" | "release" | "forsake">;

export abstract class ClaimsObject extends DurableObject {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #tables = new Tables(this.ctx.storage, SCHEMA, "claims");
  /** In milliseconds. Shorter only in tests. */
  protected readonly copyMs: number = COPY_MS;

  /** Stores a record where every location can read it. */
  protected abstract put(key: string, record: string, keepMs: number): Promise<void>;

  /**
   * @param waitMs how long to wait for another caller's run to end
   * @param isLook whether to write nothing: then `claimed` means that the key could be claimed
   */
  async claim(key: string, attempt: LeaseAttempt, waitMs: number, isLook = false): Promise<Found> {
    const until = Date.now() + waitMs;
    for (let waited = false; ; waited = true) {
      const now = Date.now();
      const before = this.#read(key);
      const { row, answer } = claim(before?.row, attempt, now);
      if (isLook && answer.state === "claimed") return answer;
      // The waiting caller may be gone by now, so a free key only goes to a caller that claims it again.
      if (waited && answer.state === "claimed") return { state: "running", untilMs: 0 };
      if (answer.state === "claimed") await this.#write(key, { row, record: null, copied: now });
      if (answer.state === "done") return found(before);
      if (answer.state !== "running" || now >= until) return answer;
      if ((this.#waiting.get(key)?.size ?? 0) >= MAX_WAITING) return answer;
      await this.#change(key, Math.min(until, answer.untilMs) - now);
    }
  }

  /**
   * @param ranOnly stored instead if KV refuses a record longer than {@link MAX_COPY}
   * @returns `kept`, or the state of the key if this runner has lost its lease
   */
  async settle(key: string, attempt: Settling, record: string, ranOnly?: string): Promise<"kept" | Found> {
    const isLost = settle(this.#read(key)?.row, attempt, Date.now()) === "lost";
    // The copy that the object keeps: null if KV has taken a long record.
    let copy: string | null = record;
    if (record.length > MAX_COPY) {
      copy = null;
      if (!isLost) {
        await this.put(key, record, attempt.keepMs).catch(() => {
          copy = ranOnly ?? null;
        });
      }
    }
    const now = Date.now();
    const before = this.#read(key);
    const row = settle(before?.row, attempt, now);
    if (row === "lost") return found(before);
    // The same row means that it was settled before.
    if (row !== before?.row) {
      await this.#write(key, { row, record: copy, copied: now });
      // Best effort: the alarm retries before the copy is dropped.
      if (copy !== null) this.ctx.waitUntil(this.put(key, copy, attempt.keepMs).catch(() => {}));
    }
    this.#wake(key);
    return "kept";
  }

  /**
   * Extends the lease to `leaseMs` from now.
   *
   * @returns false if this runner has lost the key
   */
  async extend(key: string, token: string, leaseMs: number): Promise<boolean> {
    const before = this.#read(key);
    const row = extend(before?.row, token, leaseMs, Date.now());
    if (before === undefined || row === "lost") return false;
    await this.#write(key, { ...before, row });
    return true;
  }

  /** Frees the key: the next caller runs. */
  async release(key: string, token: string): Promise<void> {
    if (mayRelease(this.#read(key)?.row, token)) this.ctx.storage.sql.exec("DELETE FROM claims WHERE key = ?", key);
    this.#wake(key);
  }

  /** Gives up the lease: the next caller takes the key over, and looks for a result before it runs. */
  async forsake(key: string, token: string): Promise<void> {
    const before = this.#read(key);
    const row = forsake(before?.row, token, Date.now());
    if (before && row) await this.#write(key, { ...before, row });
    this.#wake(key);
  }

  /** Deletes expired rows, and copies results to KV before the object drops them. */
  override async alarm(): Promise<void> {
    // The object has what a deployment with long tools has left (docs/tasks.md), or an earlier version, which ran tasks
    // in objects. This one has no use for it.
    if (!this.#tables.exist) return this.#tables.remove();
    const { sql } = this.ctx.storage;
    const now = Date.now();
    sql.exec("DELETE FROM claims WHERE expires <= ?", now);
    // Read one result at a time: together they may exceed the object's memory.
    const due = this.#tables.rows<{ key: string }>(
      "SELECT key FROM claims WHERE record IS NOT NULL AND copied <= ? ORDER BY copied LIMIT ?",
      ...[now - this.copyMs, MAX_COPIES_PER_ALARM],
    );
    for (const { key } of due) {
      const stored = this.#read(key);
      if (stored?.record == null) continue;
      try {
        await this.put(key, stored.record, stored.row.expires - now);
        // By now the key may belong to another call.
        sql.exec("UPDATE claims SET record = NULL WHERE key = ? AND token = ?", key, stored.row.token);
      } catch {
        // KV cannot be reached, so the object keeps its copy for now. Do not throw: the platform retries a failing
        // alarm only a few times.
        sql.exec("UPDATE claims SET copied = ? WHERE key = ? AND token = ?", now, key, stored.row.token);
      }
    }
    const [next] = this.#tables.rows<{ at: number | null }>(
      "SELECT MIN(CASE WHEN record IS NULL THEN expires ELSE MIN(expires, copied + ?) END) AS at FROM claims",
      this.copyMs,
    );
    const pauseMs = due.length === MAX_COPIES_PER_ALARM ? 1_000 : Math.min(PAUSE_MS, this.copyMs);
    if (next?.at) await this.ctx.storage.setAlarm(Math.max(next.at, now + pauseMs));
    else await this.#tables.remove();
  }

  #read(key: string): StoredClaim | undefined {
    const [columns] = this.#tables.rows<Columns>("SELECT * FROM claims WHERE key = ?", key);
    if (columns === undefined) return undefined;
    const { record, copied, done, again, ...rest } = columns;
    return { row: { ...rest, done: done === 1, again: again === 1 }, record, copied };
  }

  async #write(key: string, { row, record, copied }: StoredClaim): Promise<void> {
    const { fingerprint, token, again, deadline, done, expires } = row;
    this.#tables.make();
    this.ctx.storage.sql.exec(
      "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[key, fingerprint, token, again ? 1 : 0, deadline, done ? 1 : 0, expires, record, copied],
    );
    const due = record === null ? expires : copied + this.copyMs;
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > due) await this.ctx.storage.setAlarm(due);
  }

  /** Resolves when the key's state changes, or after `ms` milliseconds. */
  #change(key: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      waiting.add(wake);
    });
  }

  #wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }
}

function found(stored: StoredClaim | undefined): Found {
  if (stored === undefined) return { state: "running", untilMs: Date.now() };
  const { row, record } = stored;
  if (!row.done) return { state: "running", untilMs: row.deadline };
  return record === null ? { state: "done" } : { state: "done", record };
}
