/** The Durable Object for session values. One holds many sessions. */
import { DurableObject } from "cloudflare:workers";
import type { Json } from "../../core/lib/json.ts";
import { fits, SESSION_LIFETIME_MS, type SessionValues } from "../../core/model/session.ts";
import { Tables } from "../../stores/tables.ts";

/** The tables have no row ids: with them, the index of the keys would be another row to write, and to pay for. */
const SCHEMA = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, expires INTEGER, ended INTEGER) WITHOUT ROWID;
  CREATE TABLE contents (id TEXT, key TEXT, value TEXT, PRIMARY KEY (id, key)) WITHOUT ROWID`;

const SWEEP_MS = 3_600_000;
/** The most values of one session: each is a row, which costs. Sessions of earlier versions may have more. */
const MAX_VALUES = 256;
/** In bytes: far below the 10 GB at which an object can write nothing any more. */
const FULL_BYTES = 256_000_000;
/** The most sessions that one alarm deletes: everything else that the object is asked for waits meanwhile. */
const MAX_SWEPT = 200;
/** How long it is until the next ones are deleted, in milliseconds. */
const NEXT_SWEEP_MS = 1_000;

type Row = { key: string; value: string };
/** Pairs of key and JSON text; null deletes the key. */
export type TextChanges = readonly (readonly [string, string | null])[];
/** If changes were not kept, the session would become too large, or the object has no room for more. */
export type UpdateOutcome = "kept" | "too_large" | "no_room";

export class Sessions extends DurableObject {
  readonly #tables = new Tables(this.ctx.storage, SCHEMA, "sessions");

  async read(id: string, ttlMs: number): Promise<SessionValues> {
    if (!this.#tables.exist) return {};
    const { sql } = this.ctx.storage;
    const now = Date.now();
    const [session] = sql.exec<{ expires: number }>("SELECT expires FROM sessions WHERE id = ? AND ended = 0", id);
    if (session === undefined || session.expires <= now) return {};
    if (session.expires - now < ttlMs / 2) this.#keep(id, now + ttlMs);
    const rows = sql.exec<Row>("SELECT key, value FROM contents WHERE id = ?", id);
    return Object.fromEntries([...rows].map(({ key, value }) => [key, JSON.parse(value) as Json]));
  }

  /**
   * @param changes pairs of key and JSON text of the new value; null deletes the key
   * @returns "kept" also if the session has ended, which drops them; otherwise, nothing is changed
   */
  async update(id: string, changes: TextChanges, ttlMs: number): Promise<UpdateOutcome> {
    const { sql } = this.ctx.storage;
    const now = Date.now();
    const query = "SELECT expires, ended FROM sessions WHERE id = ?";
    const [session] = this.#tables.rows<{ expires: number; ended: number }>(query, id);
    if (session?.ended) return "kept";
    if (session && session.expires <= now) sql.exec("DELETE FROM contents WHERE id = ?", id);
    const refusal = this.#refusal(id, changes);
    if (refusal) return refusal;
    this.#tables.make();
    // Keep it longer than this change needs, so that few changes have to write this row, which costs.
    if (session === undefined) sql.exec("INSERT INTO sessions VALUES (?, ?, 0)", id, now + 1.5 * ttlMs);
    else if (session.expires - now < ttlMs) this.#keep(id, now + 1.5 * ttlMs);
    for (const [key, value] of changes) {
      if (value === null) sql.exec("DELETE FROM contents WHERE id = ? AND key = ?", id, key);
      else sql.exec("INSERT OR REPLACE INTO contents VALUES (?, ?, ?)", id, key, value);
    }
    await this.#sweepLater();
    return "kept";
  }

  #keep(id: string, until: number): void {
    this.ctx.storage.sql.exec("UPDATE sessions SET expires = ? WHERE id = ?", until, id);
  }

  #refusal(id: string, changes: TextChanges): Exclude<UpdateOutcome, "kept"> | undefined {
    const rows = this.#tables.rows<Row>("SELECT key, value FROM contents WHERE id = ?", id);
    const sizes = new Map(rows.map(({ key, value }) => [key, key.length + value.length]));
    const all = () => [...sizes.values()].reduce((sum, size) => sum + size, 0);
    const [before, valuesBefore] = [all(), sizes.size];
    for (const [key, value] of changes)
      if (value === null) sizes.delete(key);
      else sizes.set(key, key.length + value.length);
    const after = all();
    if (!fits(after, before) || sizes.size > Math.max(MAX_VALUES, valuesBefore)) return "too_large";
    return this.ctx.storage.sql.databaseSize > FULL_BYTES && after > before ? "no_room" : undefined;
  }

  async end(id: string): Promise<void> {
    this.#tables.make();
    const { sql } = this.ctx.storage;
    sql.exec("DELETE FROM contents WHERE id = ?", id);
    sql.exec("INSERT OR REPLACE INTO sessions VALUES (?, ?, 1)", id, Date.now() + SESSION_LIFETIME_MS);
    await this.#sweepLater();
  }

  async hasEnded(id: string): Promise<boolean> {
    if (!this.#tables.exist) return false;
    return [...this.ctx.storage.sql.exec("SELECT 1 FROM sessions WHERE id = ? AND ended = 1", id)].length > 0;
  }

  override async alarm(): Promise<void> {
    if (!this.#tables.exist) return;
    const { sql } = this.ctx.storage;
    const query = "SELECT id FROM sessions WHERE expires <= ? LIMIT ?";
    const expired = sql.exec<{ id: string }>(query, Date.now(), MAX_SWEPT).toArray();
    for (const { id } of expired)
      for (const table of ["contents", "sessions"]) sql.exec(`DELETE FROM ${table} WHERE id = ?`, id);
    if (expired.length === MAX_SWEPT) await this.ctx.storage.setAlarm(Date.now() + NEXT_SWEEP_MS);
    else if ([...sql.exec("SELECT 1 FROM sessions LIMIT 1")].length > 0) await this.#sweepLater();
    else await this.#tables.remove();
  }

  async #sweepLater(): Promise<void> {
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) === null) await storage.setAlarm(Date.now() + SWEEP_MS);
  }
}
