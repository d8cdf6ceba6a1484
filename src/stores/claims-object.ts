/**
 * A Durable Object that grants claims on idempotency keys atomically. One object has the rows of many keys and their
 * small results, near the principal that uses them; larger results are in KV. While the object can be reached, it
 * guarantees that only one runner at a time holds a key, and that a settled result is never lost. A runner that does
 * not settle within its lease is considered dead.
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

/** Without row ids: with them, the index of the keys would be another row to write and to pay for. */
const SCHEMA =
  "CREATE TABLE claims (key TEXT PRIMARY KEY, fingerprint TEXT, token TEXT, again INTEGER, deadline INTEGER, " +
  "done INTEGER, expires INTEGER, record TEXT, copied INTEGER) WITHOUT ROWID";
/** Largest object, in bytes, in which a table of an earlier version, which has row ids, is rebuilt. */
const MAX_REBUILT = 64_000_000;

/** Most characters of a result (all ASCII) that the object stores. Longer ones are cheaper in KV. */
const MAX_SMALL = 65_536;
/** Most characters that the object stores if KV refuses the result: a row in SQLite can have 2 MB. */
export const MAX_ROW = 1_800_000;
/** Size of an object, in bytes, beyond which all further results go to KV. It may have 10 GB. */
const FULL_BYTES = 256_000_000;

/** Shortest time between two alarms, because each reads all rows. */
const PAUSE_MS = 600_000;
/** How late the alarm may be for a row: setting it again for each row would be another row to pay for. */
const LATE_MS = 3_600_000;

/** Most duplicates that may wait for one run, because each receives the whole result. Others have to ask again. */
const MAX_WAITING = 64;

/** The object's answer to a claim. `record` is JSON text of the result, if the object has it. */
export type Found = Exclude<LeaseVerdict, { state: "done" }> | { readonly state: "done"; readonly record?: string };

/** A row of the table. `record` is JSON text of the result, if the object has it. */
interface StoredClaim {
  readonly row: LeaseRow;
  readonly record: string | null;
}

type Columns = Omit<LeaseRow, "done" | "again"> & { done: number; again: number; record: string | null };

/** The object's interface. Each method is idempotent: a caller can repeat it with the same token. */
export type Claims = Pick<ClaimsObject, "claim" | "settle" | "extend" | "release" | "forsake">;

export abstract class ClaimsObject extends DurableObject {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #tables = new Tables(this.ctx.storage, SCHEMA, "claims");
  /** {@link MAX_SMALL}; smaller in tests. */
  protected readonly maxSmall: number = MAX_SMALL;

  protected abstract put(key: string, record: string, keepMs: number): Promise<void>;

  /**
   * @param waitMs how long to wait for the end of a run that is going on
   * @param isLook whether only to look and write nothing: then `claimed` means that the key could be claimed
   */
  async claim(key: string, attempt: LeaseAttempt, waitMs: number, isLook = false): Promise<Found> {
    const until = Date.now() + waitMs;
    for (let waited = false; ; waited = true) {
      const now = Date.now();
      const before = this.#read(key);
      const { row, answer } = claim(before?.row, attempt, now);
      if (isLook && answer.state === "claimed") return answer;
      // The waiting caller may be gone by now, so a freed key goes only to a caller that claims it again.
      if (waited && answer.state === "claimed") return { state: "running", untilMs: 0 };
      if (answer.state === "claimed") await this.#write(key, { row, record: null });
      if (answer.state === "done") return found(before);
      if (answer.state !== "running" || now >= until) return answer;
      if ((this.#waiting.get(key)?.size ?? 0) >= MAX_WAITING) return answer;
      await this.#change(key, Math.min(until, answer.untilMs) - now);
    }
  }

  /**
   * @param ranOnly stored instead of the record if no store accepts that
   * @returns `kept`, or the state of the key if this runner has lost its lease
   */
  async settle(key: string, attempt: Settling, record: string, ranOnly?: string): Promise<"kept" | Found> {
    const isLost = settle(this.#read(key)?.row, attempt, Date.now()) === "lost";
    // The record that the object stores; null if KV has it.
    let kept: string | null = record;
    const isLarge = record.length > this.maxSmall || this.ctx.storage.sql.databaseSize > FULL_BYTES;
    if (isLarge && !isLost) {
      const put = async () => {
        await this.put(key, record, attempt.keepMs);
        return null;
      };
      kept = await put().catch(() => (record.length > MAX_ROW ? (ranOnly ?? null) : record));
    }
    const before = this.#read(key);
    const row = settle(before?.row, attempt, Date.now());
    if (row === "lost") return found(before);
    // The same row means that it was settled before.
    if (row !== before?.row) await this.#write(key, { row, record: kept });
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

  override async alarm(): Promise<void> {
    // The object has storage of a deployment with long tools (docs/tasks.md), or of an earlier version, which ran tasks
    // in objects. This deployment does not use it.
    if (!this.#tables.exist) return this.#tables.remove();
    const now = Date.now();
    this.ctx.storage.sql.exec("DELETE FROM claims WHERE expires <= ?", now);
    const [next] = this.#tables.rows<{ at: number | null }>("SELECT MIN(expires) AS at FROM claims");
    if (!next?.at) return this.#tables.remove();
    this.#rebuild();
    await this.ctx.storage.setAlarm(Math.max(next.at, now + PAUSE_MS));
  }

  /** Rebuilds a table of an earlier version. That version can use the new table, because the columns are the same. */
  #rebuild(): void {
    const { storage } = this.ctx;
    const [table] = this.#tables.rows<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'claims'");
    if (table?.sql.endsWith("WITHOUT ROWID") || storage.sql.databaseSize > MAX_REBUILT) return;
    storage.transactionSync(() => {
      storage.sql.exec(`ALTER TABLE claims RENAME TO earlier; ${SCHEMA}`);
      storage.sql.exec("INSERT INTO claims SELECT * FROM earlier; DROP TABLE earlier");
    });
  }

  #read(key: string): StoredClaim | undefined {
    const [columns] = this.#tables.rows<Columns>("SELECT * FROM claims WHERE key = ?", key);
    if (columns === undefined) return undefined;
    const { record, done, again, ...rest } = columns;
    return { row: { ...rest, done: done === 1, again: again === 1 }, record };
  }

  async #write(key: string, { row, record }: StoredClaim): Promise<void> {
    const { fingerprint, token, again, deadline, done, expires } = row;
    const values = [fingerprint, token, again ? 1 : 0, deadline, done ? 1 : 0, expires, record];
    this.#tables.make();
    // Update rows in place: REPLACE would also delete a row. `copied` is for earlier versions, which copied results to
    // KV and noted when.
    this.ctx.storage.sql.exec(
      "INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET fingerprint = ?, token = ?, " +
        "again = ?, deadline = ?, done = ?, expires = ?, record = ?",
      ...[key, ...values, Date.now(), ...values],
    );
    const alarm = await this.ctx.storage.getAlarm();
    if (alarm === null || alarm > expires + LATE_MS) await this.ctx.storage.setAlarm(expires);
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
