/**
 * Claims on idempotency keys, where they are atomic: one object holds the rows of many keys, near the principal whose
 * they are. It keeps a result for some minutes itself, until KV shows it everywhere, and then a small marker for as
 * long as the key counts. What it promises: while it is reachable, one runner at a time has a key, and a result that
 * was settled is never lost. A runner that neither settles nor dies within its lease is taken for dead.
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
  settle,
} from "../core/idempotency/lease.ts";
import { Tables } from "./tables.ts";

const SCHEMA =
  "CREATE TABLE claims (key TEXT PRIMARY KEY, fingerprint TEXT, token TEXT, again INTEGER, deadline INTEGER, done INTEGER, expires INTEGER, record TEXT, copied INTEGER)";

/** How long the object itself has a result: far longer than KV takes to show one everywhere (60 s). */
const COPY_MS = 5 * 60_000;
/**
 * Characters, all ASCII: SQLite here takes rows of up to 2 MB. A longer record goes to KV before its key is settled.
 */
export const MAX_COPY = 1_800_000;

/** Results that one alarm hands on: an invocation has 1,000 operations on KV. */
const MAX_HANDED_ON = 500;
/** How long KV is left alone that has failed. */
const PAUSE_MS = 10_000;

/** Duplicates that may wait for one run at once: each is handed the whole result when it ends. */
const MAX_WAITING = 64;

/** `record`: JSON text of the result, while the object has it itself. */
export type Found = Exclude<LeaseVerdict, { state: "done" }> | { readonly state: "done"; readonly record?: string };

/** A row as the object has it: with the result's JSON text while it keeps that, and since when it does. */
interface Kept {
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

/** The object as its callers see it: every step may be made again, under the same token. */
export interface Claims {
  /**
   * @param waitMs how long to wait for another's run to end
   * @param isLook whether `claimed` says only that it could be: then nothing is written
   */
  claim(key: string, attempt: LeaseAttempt, waitMs: number, isLook?: boolean): Promise<Found>;
  /**
   * @param ranOnly kept instead if KV does not take a record longer than {@link MAX_COPY}
   * @returns `kept`, or what became of the key whose lease this runner lost
   */
  settle(
    key: string,
    attempt: Omit<LeaseAttempt, "leaseMs">,
    record: string,
    ranOnly?: string,
  ): Promise<"kept" | Found>;
  /**
   * Extends the lease to `leaseMs` from now.
   *
   * @returns false if the key was lost
   */
  extend(key: string, token: string, leaseMs: number): Promise<boolean>;
  /** The key is free: the next runs. */
  release(key: string, token: string): Promise<void>;
  /** The key is to be taken over: the next looks for a result first. */
  forsake(key: string, token: string): Promise<void>;
}

export abstract class ClaimsObject extends DurableObject implements Claims {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #tables = new Tables(this.ctx.storage, SCHEMA, "claims");
  /** Milliseconds; less only for tests. */
  protected readonly copyMs: number = COPY_MS;

  /** Keeps a record where every location reads it. */
  protected abstract put(key: string, record: string, keepMs: number): Promise<void>;

  async claim(key: string, attempt: LeaseAttempt, waitMs: number, isLook = false): Promise<Found> {
    const until = Date.now() + waitMs;
    for (let waited = false; ; waited = true) {
      const now = Date.now();
      const before = this.#read(key);
      const { row, answer } = claim(before?.row, attempt, now);
      if (isLook && answer.state === "claimed") return answer;
      // Who waited may have gone meanwhile: only a caller that calls again takes the key.
      if (waited && answer.state === "claimed") return { state: "running", untilMs: 0 };
      if (answer.state === "claimed") await this.#write(key, { row, record: null, copied: now });
      if (answer.state === "done") return found(before);
      if (answer.state !== "running" || now >= until) return answer;
      if ((this.#waiting.get(key)?.size ?? 0) >= MAX_WAITING) return answer;
      await this.#change(key, Math.min(until, answer.untilMs) - now);
    }
  }

  async settle(
    key: string,
    attempt: Omit<LeaseAttempt, "leaseMs">,
    record: string,
    ranOnly?: string,
  ): Promise<"kept" | Found> {
    const isLost = settle(this.#read(key)?.row, attempt, Date.now()) === "lost";
    // The object's own copy: null if KV took a long record.
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
    // Same row: it was settled before.
    if (row !== before?.row) {
      await this.#write(key, { row, record: copy, copied: now });
      // Best effort: the alarm retries before the copy is dropped.
      if (copy !== null) this.ctx.waitUntil(this.put(key, copy, attempt.keepMs).catch(() => {}));
    }
    this.#wake(key);
    return "kept";
  }

  async extend(key: string, token: string, leaseMs: number): Promise<boolean> {
    const before = this.#read(key);
    const row = extend(before?.row, token, leaseMs, Date.now());
    if (before === undefined || row === "lost") return false;
    await this.#write(key, { ...before, row });
    return true;
  }

  async release(key: string, token: string): Promise<void> {
    if (mayRelease(this.#read(key)?.row, token)) this.ctx.storage.sql.exec("DELETE FROM claims WHERE key = ?", key);
    this.#wake(key);
  }

  async forsake(key: string, token: string): Promise<void> {
    const before = this.#read(key);
    const row = forsake(before?.row, token, Date.now());
    if (before && row) await this.#write(key, { ...before, row });
    this.#wake(key);
  }

  /** Forgets what is over, and hands on to KV what is still only here. */
  override async alarm(): Promise<void> {
    if (!this.#tables.exist) return;
    const { sql } = this.ctx.storage;
    const now = Date.now();
    sql.exec("DELETE FROM claims WHERE expires <= ?", now);
    const old = sql.exec<{ key: string }>(
      "SELECT key FROM claims WHERE record IS NOT NULL AND copied <= ? ORDER BY copied LIMIT ?",
      now - this.copyMs,
      MAX_HANDED_ON,
    );
    let soonest = now + 1_000;
    // One result at a time: all of them may be more than the object's memory.
    for (const { key } of [...old]) {
      const kept = this.#read(key);
      if (kept?.record == null) continue;
      try {
        await this.put(key, kept.record, kept.row.expires - now);
        // The key may be another call's by now.
        sql.exec("UPDATE claims SET record = NULL WHERE key = ? AND token = ?", key, kept.row.token);
      } catch {
        // KV cannot be reached: the object keeps its copy meanwhile. An alarm that throws is called again a few times,
        // and then never.
        sql.exec("UPDATE claims SET copied = ? WHERE key = ? AND token = ?", now, key, kept.row.token);
        soonest = now + Math.min(PAUSE_MS, this.copyMs);
      }
    }
    const [next] = sql.exec<{ at: number | null }>(
      "SELECT MIN(CASE WHEN record IS NULL THEN expires ELSE MIN(expires, copied + ?) END) AS at FROM claims",
      this.copyMs,
    );
    if (next?.at) await this.ctx.storage.setAlarm(Math.max(next.at, soonest));
    else await this.#tables.remove();
  }

  #read(key: string): Kept | undefined {
    if (!this.#tables.exist) return undefined;
    const [columns] = this.ctx.storage.sql.exec<Columns>("SELECT * FROM claims WHERE key = ?", key);
    if (columns === undefined) return undefined;
    const { record, copied, done, again, ...rest } = columns;
    return { row: { ...rest, done: done === 1, again: again === 1 }, record, copied };
  }

  async #write(key: string, { row, record, copied }: Kept): Promise<void> {
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

function found(kept: Kept | undefined): Found {
  if (kept === undefined) return { state: "running", untilMs: Date.now() };
  const { row, record } = kept;
  if (!row.done) return { state: "running", untilMs: row.deadline };
  return record === null ? { state: "done" } : { state: "done", record };
}
