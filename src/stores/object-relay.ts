/**
 * The relay as Durable Objects: links the connections of one client. Stored messages survive a restart, for some
 * minutes. Questions, signals and waiting callers are in memory: a restart loses them, and the waiting calls fail.
 */
import { DurableObject } from "cloudflare:workers";
import type { Relay, RelayEntry, RelaySignal, RunningRequest } from "../core/ports/relay.ts";
import { LOST, MAX_KEPT_PER_STREAM } from "../core/ports/relay.ts";
import { Tables } from "./tables.ts";

const SCHEMA =
  "CREATE TABLE messages (stream TEXT, at INTEGER, text TEXT, done INTEGER, until INTEGER, PRIMARY KEY (stream, at)) WITHOUT ROWID";

/** How long a message is stored: a client may take that long to reconnect. */
const KEPT_MS = 5 * 60_000;
/** The shortest time between two alarms, because each looks at all messages. */
const ALARM_EVERY_MS = 60_000;
/** Most characters that one mailbox stores for all its streams. */
const MAX_KEPT_PER_BOX = 16_000_000;
/** How long a running request may take to reply to a client that has reconnected. */
const RUNNER_REPLY_MS = 5_000;
/** How long a connection stays open without messages. Then the client reconnects, and learns whether its call runs. */
const QUIET_MS = 60_000;
/** Bytes that a client may fall behind. After that it is disconnected, and gets the rest when it reconnects. */
const MAX_UNREAD = MAX_KEPT_PER_STREAM;
/** Most questions that may be open at once, cancellations that are remembered, and calls that watch for signals. */
const MAX_REMEMBERED = 100;
/** Longest request id that is remembered, in characters: 255 as JSON text, which can take six characters for each. */
const MAX_ID = 6 * 255 + 2;

interface Question {
  readonly answer: Promise<string | undefined>;
  readonly settle: (answer: string | undefined) => void;
}

interface Watcher extends RunningRequest {
  readonly signal: (signal: RelaySignal | undefined) => void;
}

interface Follower {
  /** True until the running request replies. */
  isWaiting: boolean;
  readonly receive: (entries: readonly RelayEntry[], done: boolean) => void;
  readonly end: () => void;
}

export class Mailbox extends DurableObject {
  readonly #questions = new Map<string, Question>();
  readonly #watchers = new Map<string, Watcher>();
  /** Time of the last cancellation of each id, because a call may start to watch only after it was cancelled. */
  readonly #cancelled = new Map<string, number>();
  readonly #followers = new Map<string, Follower>();
  readonly #tables = new Tables(this.ctx.storage, SCHEMA, "messages");
  /** Characters stored for each stream; the stream with the latest message is last. Undefined until first needed. */
  #sizes: Map<string, number> | undefined;
  #isClosed = false;

  open(question: string): void {
    if (!this.#questions.has(question)) this.#ask(question);
  }

  async take(question: string): Promise<string | undefined> {
    const { answer } = this.#questions.get(question) ?? this.#ask(question);
    const answered = await answer;
    this.#questions.delete(question);
    return answered;
  }

  answer(question: string, answer: string): void {
    this.#questions.get(question)?.settle(answer);
  }

  #ask(question: string): Question {
    const { promise: answer, resolve: settle } = Promise.withResolvers<string | undefined>();
    const opened = { answer, settle };
    remember(this.#questions, question, opened)?.settle(undefined);
    return opened;
  }

  cancel(request: string): void {
    if (request.length <= MAX_ID) remember(this.#cancelled, request, Date.now());
    for (const watcher of [...this.#watchers.values()])
      if (watcher.request === request) this.#signal(watcher, "cancelled");
  }

  async watch(running: RunningRequest): Promise<RelaySignal | undefined> {
    const { call, request, stream, since } = running;
    if (this.#isClosed || (this.#cancelled.get(request) ?? 0) >= since) return "cancelled";
    const { promise, resolve: signal } = Promise.withResolvers<RelaySignal | undefined>();
    const watcher = { ...running, signal };
    // A call that is cut short with its request never ends its watch.
    remember<Watcher>(this.#watchers, call, watcher)?.signal(undefined);
    if (stream !== undefined && this.#followers.get(stream)?.isWaiting) this.#signal(watcher, "resume");
    return promise;
  }

  unwatch(call: string): void {
    const watcher = this.#watchers.get(call);
    if (watcher) this.#signal(watcher, undefined);
  }

  #signal(watcher: Watcher, signal: RelaySignal | undefined): void {
    this.#watchers.delete(watcher.call);
    watcher.signal(signal);
  }

  async post(stream: string, entries: readonly RelayEntry[], done: boolean): Promise<boolean> {
    if (this.#isClosed) return false;
    const until = Date.now() + KEPT_MS;
    if (entries.length > 0) this.#store(stream, entries, done, until);
    this.#followers.get(stream)?.receive(entries, done);
    if (entries.length > 0 && (await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(until);
    return this.#followers.has(stream);
  }

  #store(stream: string, entries: readonly RelayEntry[], done: boolean, until: number): void {
    this.#tables.make();
    this.#sizes ??= this.#sizesOf();
    let size = this.#sizes.get(stream) ?? 0;
    const rows = packed(entries);
    for (const [index, { at, text }] of rows.entries()) {
      const isLast = done && index === rows.length - 1 ? 1 : 0;
      // An entry that is already stored may turn out to be the last.
      const insert =
        "INSERT INTO messages VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET done = 1 WHERE excluded.done = 1";
      size += this.#sum(insert, stream, at, text, isLast, until);
    }
    while (size > MAX_KEPT_PER_STREAM) {
      const removed = this.#sum(
        `DELETE FROM messages WHERE stream = ?1
         AND at = (SELECT MIN(at) FROM messages WHERE stream = ?1) AND at < (SELECT MAX(at) FROM messages WHERE stream = ?1)`,
        stream,
      );
      if (removed === 0) break;
      size -= removed;
    }
    this.#sizes.delete(stream);
    this.#sizes.set(stream, size);
    this.#makeRoom(this.#sizes, stream);
  }

  /** Deletes other streams if the mailbox is full, the oldest first. The latest stream has not been read yet. */
  #makeRoom(sizes: Map<string, number>, stream: string): void {
    let all = 0;
    for (const size of sizes.values()) all += size;
    for (const [other, size] of sizes) {
      if (all <= MAX_KEPT_PER_BOX || other === stream) return;
      this.ctx.storage.sql.exec("DELETE FROM messages WHERE stream = ?", other);
      sizes.delete(other);
      all -= size;
    }
  }

  #sizesOf(): Map<string, number> {
    const query = "SELECT stream, SUM(LENGTH(text)) AS size FROM messages GROUP BY stream ORDER BY MAX(until)";
    const rows = this.#tables.rows<{ stream: string; size: number }>(query);
    return new Map(rows.map(({ stream, size }) => [stream, size]));
  }

  /** @returns the number of characters in the messages that a statement inserted or deleted */
  #sum(statement: string, ...bindings: (string | number)[]): number {
    const rows = this.#tables.rows<{ size: number }>(`${statement} RETURNING LENGTH(text) AS size`, ...bindings);
    return rows.reduce((sum, { size }) => sum + size, 0);
  }

  async follow(stream: string, after: number): Promise<ReadableStream<Uint8Array> | undefined> {
    const { entries, done, last } = this.#read(stream, after);
    if (done && last <= after) return undefined;
    // Only the latest connection receives a stream (2025-11-25, Multiple Connections: MUST NOT broadcast).
    this.#followers.get(stream)?.end();
    const encoder = new TextEncoder();
    let follower: Follower | undefined;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const forget = () => {
      if (silence !== undefined) clearTimeout(silence);
      if (follower && this.#followers.get(stream) === follower) this.#followers.delete(stream);
    };
    const source = {
      start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
        let seen = after;
        const write = (some: readonly RelayEntry[]) => {
          const fresh = some.filter(({ at }) => at > seen);
          seen = fresh.at(-1)?.at ?? seen;
          if (fresh.length > 0)
            controller.enqueue(encoder.encode(fresh.map(({ at, text }) => `${at} ${text}\n`).join("")));
        };
        const end = () => {
          forget();
          controller.close();
        };
        const endAsLost = () => {
          controller.enqueue(encoder.encode(`${LOST}\n`));
          end();
        };
        write(entries);
        if (done) return end();
        const opened: Follower = {
          isWaiting: true,
          end,
          receive: (more, isLast) => {
            if (silence !== undefined) clearTimeout(silence);
            opened.isWaiting = false;
            if ((controller.desiredSize ?? 0) < -MAX_UNREAD) return end();
            write(more);
            if (isLast) return end();
            const last = this.#lastOf(stream);
            // The request has posted everything it sent, so position `after` never existed.
            if (last > 0 && last < after) endAsLost();
            else silence = setTimeout(end, QUIET_MS);
          },
        };
        follower = opened;
        this.#followers.set(stream, opened);
        silence = setTimeout(endAsLost, RUNNER_REPLY_MS);
        for (const watcher of [...this.#watchers.values()])
          if (watcher.stream === stream) this.#signal(watcher, "resume");
      },
      cancel: forget,
    };
    return new ReadableStream(source, { highWaterMark: 0, size: (chunk?: Uint8Array) => chunk?.byteLength ?? 0 });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { end } of [...this.#followers.values()]) end();
    for (const watcher of [...this.#watchers.values()]) this.#signal(watcher, "cancelled");
    for (const { settle } of this.#questions.values()) settle(undefined);
    this.#questions.clear();
    if (this.#tables.exist) await this.#removeAll();
  }

  override async alarm(): Promise<void> {
    if (!this.#tables.exist) return this.#removeAll();
    this.ctx.storage.sql.exec("DELETE FROM messages WHERE until <= ?", Date.now());
    this.#sizes = undefined;
    const [next] = this.#tables.rows<{ until: number }>("SELECT until FROM messages ORDER BY until LIMIT 1");
    // Do not set it for each message: all that expire within a minute are deleted together.
    if (next) await this.ctx.storage.setAlarm(Math.max(next.until, Date.now() + ALARM_EVERY_MS));
    else await this.#removeAll();
  }

  #removeAll(): Promise<void> {
    this.#sizes = undefined;
    return this.#tables.remove();
  }

  /** Position of the last stored message of a stream; 0 if there is none. */
  #lastOf(stream: string): number {
    const query = "SELECT MAX(at) AS last FROM messages WHERE stream = ?";
    return this.#tables.rows<{ last: number | null }>(query, stream)[0]?.last ?? 0;
  }

  #read(stream: string, after: number): { entries: RelayEntry[]; done: boolean; last: number } {
    const query = "SELECT at, text, done FROM messages WHERE stream = ? ORDER BY at";
    const all = this.#tables.rows<{ at: number; text: string; done: number }>(query, stream);
    const end = all.at(-1);
    return { entries: all.flatMap(unpacked).filter(({ at }) => at > after), done: end?.done === 1, last: end?.at ?? 0 };
  }
}

/** Most characters of messages that share a row, because each row costs. */
const PACK = 32_000;

/** Joins small messages that were posted together, as lines with positions. A row has the position of its last line. */
function packed(entries: readonly RelayEntry[]): RelayEntry[] {
  const rows: RelayEntry[][] = [];
  let size = 0;
  for (const entry of entries) {
    size += entry.text.length;
    const row = rows.at(-1);
    if (row && size <= PACK) row.push(entry);
    else {
      rows.push([entry]);
      size = entry.text.length;
    }
  }
  return rows.map((row) => {
    const last = row.at(-1) as RelayEntry;
    return row.length === 1 ? last : { at: last.at, text: row.map(({ at, text }) => `${at} ${text}`).join("\n") };
  });
}

/** The messages of a row. A single message is JSON, or empty; several are lines that begin with a position. */
function unpacked(row: RelayEntry): RelayEntry[] {
  if (!/^\d/.test(row.text)) return [row];
  return row.text.split("\n").map((line) => {
    const end = line.indexOf(" ");
    return { at: Number(line.slice(0, end)), text: line.slice(end + 1) };
  });
}

/**
 * Adds an entry, and drops the oldest one if there are too many.
 *
 * @returns the dropped value
 */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): Value | undefined {
  // Move the key to the end: Maps keep insertion order.
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size <= MAX_REMEMBERED || oldest === undefined) return undefined;
  const dropped = map.get(oldest);
  map.delete(oldest);
  return dropped;
}

export function objectRelay(namespace: DurableObjectNamespace<Mailbox>): Relay {
  const boxNamed = (box: string) => namespace.getByName(box);
  return {
    open: (box, question) => boxNamed(box).open(question),
    take: (box, question) => boxNamed(box).take(question),
    answer: (box, question, answer) => boxNamed(box).answer(question, answer),
    cancel: (box, request) => boxNamed(box).cancel(request),
    watch: (box, running) => boxNamed(box).watch({ ...running }),
    unwatch: (box, call) => boxNamed(box).unwatch(call),
    post: (box, stream, entries, done) => boxNamed(box).post(stream, [...entries], done),
    follow: (box, stream, after) => boxNamed(box).follow(stream, after),
    close: (box) => boxNamed(box).close(),
  };
}
