/**
 * Brings two connections together: what one leaves under a key, another takes or follows, whichever comes first.
 * Entries outlive the object's memory, not their time: they are gone some minutes after the last one was left.
 */
import { DurableObject } from "cloudflare:workers";
import type { Mail } from "../core/mail.ts";

/** How long entries are kept: as long as a client may take to come back. */
const KEPT_MS = 5 * 60_000;

/** Connections that may wait in one box at once: the streams of one client. */
const MAX_FOLLOWERS = 32;

/** What one box keeps: what a client leaves that nobody asked for must not fill the disk. */
const MAX_BYTES = 16_000_000;

interface Follower {
  readonly key: string;
  readonly hear: (entries: readonly string[], done: boolean) => void;
}

export class Mailbox extends DurableObject {
  readonly #followers = new Set<Follower>();

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS entries (seq INTEGER PRIMARY KEY, key TEXT, entry TEXT)");
  }

  async post(key: string, entries: readonly string[], done: boolean): Promise<void> {
    const { sql } = this.ctx.storage;
    if (sql.databaseSize > MAX_BYTES) return;
    for (const entry of entries) sql.exec("INSERT INTO entries (key, entry) VALUES (?, ?)", key, entry);
    // A row without an entry says that none will follow.
    if (done) sql.exec("INSERT INTO entries (key, entry) VALUES (?, NULL)", key);
    for (const follower of this.#followers) if (follower.key === key) follower.hear(entries, done);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + KEPT_MS);
  }

  async take(key: string): Promise<string> {
    const [kept] = this.#kept(key).entries;
    if (kept !== undefined) return kept;
    return new Promise((resolve) => {
      const follower: Follower = {
        key,
        hear: ([entry]) => {
          if (entry === undefined) return;
          this.#followers.delete(follower);
          resolve(entry);
        },
      };
      this.#followers.add(follower);
    });
  }

  async follow(key: string, after: number): Promise<ReadableStream<Uint8Array> | undefined> {
    if (this.#followers.size >= MAX_FOLLOWERS) return undefined;
    const { entries, done } = this.#kept(key);
    const encoder = new TextEncoder();
    const lines = (some: readonly string[]) => encoder.encode(some.map((entry) => `${entry}\n`).join(""));
    let follower: Follower | undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const missed = entries.slice(after);
        if (missed.length > 0) controller.enqueue(lines(missed));
        if (done) return controller.close();
        follower = {
          key,
          hear: (more, last) => {
            if (more.length > 0) controller.enqueue(lines(more));
            if (!last) return;
            if (follower) this.#followers.delete(follower);
            controller.close();
          },
        };
        this.#followers.add(follower);
      },
      cancel: () => {
        if (follower) this.#followers.delete(follower);
      },
    });
  }

  async close(): Promise<void> {
    this.ctx.storage.sql.exec("DELETE FROM entries");
    for (const follower of [...this.#followers]) follower.hear([], true);
  }

  override async alarm(): Promise<void> {
    // Who follows counts entries from the first.
    if (this.#followers.size > 0) return this.ctx.storage.setAlarm(Date.now() + KEPT_MS);
    this.ctx.storage.sql.exec("DELETE FROM entries");
  }

  #kept(key: string): { entries: string[]; done: boolean } {
    const rows = this.ctx.storage.sql.exec<{ entry: string | null }>(
      "SELECT entry FROM entries WHERE key = ? ORDER BY seq",
      key,
    );
    const all = [...rows].map(({ entry }) => entry);
    return { entries: all.filter((entry) => entry !== null), done: all.includes(null) };
  }
}

export function mailboxes(namespace: DurableObjectNamespace<Mailbox>): Mail {
  return {
    post: (box, key, entries, done) => namespace.getByName(box).post(key, [...entries], done),
    take: (box, key) => namespace.getByName(box).take(key),
    follow: (box, key, after) => namespace.getByName(box).follow(key, after),
    close: (box) => namespace.getByName(box).close(),
  };
}
