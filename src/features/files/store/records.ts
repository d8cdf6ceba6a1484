/**
 * A Durable Object with the list of files of one principal. Its alarm deletes what has expired, and whatever an
 * interrupted upload may have left in the bucket. What the bucket holds is called a blob here, because an "object" is a
 * Durable Object.
 */
import { DurableObject } from "cloudflare:workers";
import { describeError, log } from "../../../core/lib/log.ts";
import { Tables } from "../../../stores/tables.ts";
import { FILES } from "../bindings.ts";
import { MAX_FAILURES } from "./tickets.ts";

/**
 * `about` (name and type, or what the page asks for) is sealed: only the Worker can read it. `stored` is 0 while the
 * upload is awaited, and 1 afterwards; `size` counts the uploads that failed until then. If the file is uploaded on a
 * page, `slot` is the name under which the page is found, and `page` says until when its URL is valid. `blobs` has the
 * keys of all blobs that may be in the bucket, and when to delete them. Earlier versions handed out URLs of R2 itself,
 * and left rows of two kinds: a file whose `stored` is -1 may have gone straight to the bucket, under `key`, and a blob
 * may still come there until `open`. `latest` says until when a file may be kept at most. Earlier versions did not have
 * it.
 */
const SCHEMA = `
  CREATE TABLE files (
    id TEXT PRIMARY KEY, about TEXT NOT NULL, stored INTEGER NOT NULL, key TEXT, size INTEGER, sha256 TEXT,
    expires INTEGER NOT NULL, slot TEXT, page INTEGER, latest INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX slots ON files (slot) WHERE slot IS NOT NULL;
  CREATE TABLE blobs (key TEXT PRIMARY KEY, due INTEGER NOT NULL, open INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

export interface FileRow {
  readonly id: string;
  /** Name and type of the file, or what its page asks for, sealed. */
  readonly about: string;
  readonly state: "awaited" | "spent" | "direct" | "stored";
  /** Key of the blob in the bucket; "" if there is none yet. */
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  readonly expires: number;
  /** Until when the URL of its page is valid; undefined if it has no page. */
  readonly page: number | undefined;
  /** Until when it may be kept at most; undefined if that was not noted. */
  readonly latest: number | undefined;
}

/** A file that is going to be uploaded. */
export interface NewRow {
  readonly id: string;
  readonly about: string;
  readonly expires: number;
  /** Set if it is uploaded on a page, which is open until the file expires. */
  readonly page?: { readonly slot: string | undefined } | undefined;
}

export type Contents = Pick<FileRow, "key" | "size" | "sha256">;

/** How long an upload may take before what it left is deleted, in milliseconds. */
const UPLOAD_MS = 3_600_000;
/** When the alarm tries again if the bucket could not be reached, in milliseconds. */
const RETRY_MS = 60_000;
/**
 * How much longer than asked for a file is kept, in milliseconds, because each call that keeps it longer has rows to
 * write, and to pay for.
 */
const AHEAD_MS = 3_600_000;
/** The most blobs that R2 deletes in one request. */
const MAX_DELETED = 1_000;

type Row = Record<string, SqlStorageValue>;

/** Opens the tables, and adds the column that those of earlier versions lack. */
function tablesIn(storage: DurableObjectStorage): Tables {
  const tables = new Tables(storage, SCHEMA, "files");
  const [columns] = tables.rows<Row>("SELECT count(*) AS latest FROM pragma_table_info('files') WHERE name = 'latest'");
  if (columns?.latest === 0) storage.sql.exec("ALTER TABLE files ADD COLUMN latest INTEGER");
  return tables;
}

export class FileRecords extends DurableObject {
  readonly #tables = tablesIn(this.ctx.storage);
  /** When the alarm will ring; undefined if that is not known, or there is none. */
  #alarm: number | undefined;

  /** Adds the row of a file that is going to be uploaded. @returns false if the principal has `most` files already */
  async reserve({ id, about, expires, page }: NewRow, most: number): Promise<boolean> {
    const now = Date.now();
    if (this.#row(id, now)) return true;
    const [count] = this.#tables.rows<Row>("SELECT count(*) AS files FROM files WHERE expires > ?", now);
    if (Number(count?.files ?? 0) >= most) return false;
    this.#tables.make();
    this.#write(
      "INSERT OR REPLACE INTO files (id, about, stored, expires, slot, page) VALUES (?, ?, 0, ?, ?, ?)",
      ...[id, about, expires, page?.slot ?? null, page ? expires : null],
    );
    await this.#setAlarm();
    return true;
  }

  /**
   * Like `reserve`, unless there is a file in its slot.
   *
   * @returns the file in the slot; undefined if there are `most` files
   */
  async place(row: NewRow, most: number): Promise<FileRow | undefined> {
    const earlier = row.page?.slot === undefined ? undefined : await this.placed(row.page.slot);
    return earlier ?? ((await this.reserve(row, most)) ? this.#row(row.id, Date.now()) : undefined);
  }

  /** @returns the file in a slot; undefined if there is none, or its page has closed before it was uploaded */
  async placed(slot: string): Promise<FileRow | undefined> {
    const now = Date.now();
    const query = "SELECT id FROM files WHERE slot = ? AND (page > ? OR stored = 1)";
    const [row] = this.#tables.rows<Row>(query, slot, now);
    return row && this.#row(String(row.id), now);
  }

  /** Empties the slots of files, and removes those that were not uploaded. */
  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const isAwaited = this.#row(id, Date.now())?.state === "awaited";
      if (isAwaited) await this.remove(id);
      else if (this.#tables.exist) this.#write("UPDATE files SET slot = NULL WHERE id = ?", id);
    }
  }

  /** Notes that a blob is being written. @returns the file, in whatever state; undefined if there is none */
  async begin(id: string, key: string): Promise<FileRow | undefined> {
    const now = Date.now();
    const row = this.#row(id, now);
    if (row?.state === "awaited") {
      this.#keepBlob(key, now + UPLOAD_MS);
      await this.#setAlarm();
    }
    return row;
  }

  /**
   * Makes a blob the contents of a file, unless the file has another one already.
   *
   * @param about replaces what was known of the file, if given
   * @returns whether the blob is its contents; undefined if there is no such file any more
   */
  async finish(
    id: string,
    { key, size, sha256 }: Contents,
    { expires, latest }: Pick<FileRow, "expires" | "latest">,
    about: string | null = null,
  ): Promise<boolean | undefined> {
    const row = this.#row(id, Date.now());
    if (row?.state === "stored" && row.key === key) return true;
    if (row === undefined || row.state === "stored") {
      await this.discard(key);
      return row === undefined ? undefined : false;
    }
    this.#write(
      "UPDATE files SET stored = 1, key = ?, size = ?, sha256 = ?, expires = ?, latest = ?, about = coalesce(?, about) WHERE id = ?",
      ...[key, size, sha256, expires, latest ?? null, about, id],
    );
    this.#keepBlob(key, expires);
    await this.#setAlarm();
    return true;
  }

  /** Counts a failed upload, and has the alarm delete its blob. After {@link MAX_FAILURES}, no more are accepted. */
  async fail(id: string, key: string): Promise<void> {
    if (this.#tables.exist) {
      this.#write("UPDATE files SET size = coalesce(size, 0) + 1 WHERE id = ? AND stored = 0", id);
      // The next question for this file gets another page.
      this.#write("UPDATE files SET slot = NULL WHERE id = ? AND stored = 0 AND size >= ?", id, MAX_FAILURES);
    }
    await this.discard(key);
  }

  /** Has the alarm delete a blob from the bucket at once. */
  async discard(key: string): Promise<void> {
    this.#tables.make();
    this.#keepBlob(key, 0);
    await this.#setAlarm();
  }

  /**
   * Finds files, in the order of their ids.
   *
   * @param until  stored files are kept at least until then, but never beyond their `latest`
   * @param latest for files whose row has none
   */
  async find(ids: readonly string[], until: number, latest = until): Promise<(FileRow | undefined)[]> {
    const now = Date.now();
    let isLonger = false;
    const rows = ids.map((id) => {
      const row = this.#row(id, now);
      const most = row?.latest ?? latest;
      if (row === undefined || row.state === "awaited" || row.state === "spent") return row;
      if (row.expires >= Math.min(until, most)) return row;
      const expires = Math.min(until + AHEAD_MS, most);
      this.#write("UPDATE files SET expires = ?, latest = ? WHERE id = ?", expires, most, row.id);
      this.#keepBlob(row.key, expires);
      isLonger = true;
      return { ...row, expires, latest: most };
    });
    if (isLonger) await this.#setAlarm();
    return rows;
  }

  /**
   * Removes a file. One with a failed upload counts until it expires: otherwise, a caller could fail and delete in turn
   * without limit.
   *
   * @returns false if there is no such file
   */
  async remove(id: string): Promise<boolean> {
    const row = this.#row(id, Date.now());
    if (row === undefined || row.state === "spent") return false;
    if (row.state === "awaited" && row.size > 0) {
      this.#write("UPDATE files SET about = '', size = ?, slot = NULL WHERE id = ?", MAX_FAILURES, id);
      return true;
    }
    this.#write("DELETE FROM files WHERE id = ?", id);
    if (row.key !== "") this.#keepBlob(row.key, 0);
    await this.#setAlarm();
    return true;
  }

  override async alarm(): Promise<void> {
    this.#alarm = undefined;
    if (!this.#tables.exist) return;
    const now = Date.now();
    this.#write("DELETE FROM files WHERE expires <= ?", now);
    const due = this.#tables.rows<Row>("SELECT key FROM blobs WHERE due <= ? LIMIT ?", now, MAX_DELETED);
    const keys = due.map(({ key }) => String(key));
    try {
      if (keys.length > 0) await FILES?.delete(keys);
      for (const key of keys) {
        this.#write("DELETE FROM blobs WHERE key = ? AND due <= ? AND open <= ?", key, now, now);
        this.#write("UPDATE blobs SET due = open WHERE key = ? AND due <= ?", key, now);
      }
      await this.#setAlarm();
    } catch (error) {
      log({ level: "warning", message: "files not deleted", error: describeError(error) });
      this.#alarm = undefined;
      await this.ctx.storage.setAlarm(Date.now() + RETRY_MS);
    }
  }

  #row(id: string, now: number): FileRow | undefined {
    const [row] = this.#tables.rows<Row>("SELECT * FROM files WHERE id = ? AND expires > ?", id, now);
    if (row === undefined) return undefined;
    const awaited = Number(row.size) < MAX_FAILURES ? "awaited" : "spent";
    const state = row.stored === 1 ? "stored" : row.stored === 0 ? awaited : "direct";
    return {
      ...{ id, state, about: String(row.about), expires: Number(row.expires) },
      ...{ key: String(row.key ?? ""), size: Number(row.size), sha256: String(row.sha256 ?? "") },
      page: row.page === null ? undefined : Number(row.page),
      latest: row.latest === null ? undefined : Number(row.latest),
    };
  }

  #keepBlob(key: string, due: number): void {
    this.#write("INSERT INTO blobs VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET due = excluded.due", key, due);
  }

  /**
   * Sets the alarm to the next expiry, unless it is already set for an earlier time. Without one, nothing is stored any
   * more, and the object ceases to exist.
   */
  async #setAlarm(): Promise<void> {
    const [next] = this.#tables.rows<Row>(
      "SELECT min(at) AS at FROM (SELECT min(expires) AS at FROM files UNION ALL SELECT min(due) FROM blobs)",
    );
    if (typeof next?.at !== "number") {
      this.#alarm = undefined;
      return this.#tables.remove();
    }
    const at = Math.max(next.at, Date.now());
    // Each alarm that is set is a row to pay for.
    if (this.#alarm !== undefined && this.#alarm <= at) return;
    this.#alarm = at;
    // Nothing is awaited before, so that no row is ever stored without an alarm.
    await this.ctx.storage.setAlarm(at);
  }

  #write(statement: string, ...values: SqlStorageValue[]): void {
    this.ctx.storage.sql.exec(statement, ...values);
  }
}
