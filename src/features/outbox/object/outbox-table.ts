/** The SQL tables of an outbox. Reads and writes rows; other files decide when. */
import type { DeliveryProblem } from "../../../core/ports/outbox.ts";
import { Tables } from "../../../stores/tables.ts";

/**
 * Each row that is written costs, also in an index. So a delivery that arrives at the first attempt is in no index:
 * only events with an id of their source are in `sources`, and only deliveries that have failed are in `retries`.
 * `letters` are the deliveries that have ended; `seq` is an event's position, and `sequence` the number of a
 * subscription's delivery.
 */
const SCHEMA = `
  CREATE TABLE events (seq INTEGER PRIMARY KEY, id TEXT, name TEXT, occurred INTEGER, expires INTEGER, sourced INTEGER,
    sealed TEXT);
  CREATE TABLE subscriptions (id TEXT PRIMARY KEY, kind TEXT, name TEXT, topic TEXT, url TEXT, host TEXT,
    expires INTEGER, sequence INTEGER, delivered INTEGER, failing INTEGER, problem TEXT, sealed TEXT) WITHOUT ROWID;
  CREATE TABLE deliveries (subscription TEXT, seq INTEGER, sequence INTEGER, attempts INTEGER, next INTEGER,
    problem TEXT, PRIMARY KEY (subscription, seq)) WITHOUT ROWID;
  CREATE TABLE letters (subscription TEXT, seq INTEGER, sequence INTEGER, attempts INTEGER, state TEXT, at INTEGER,
    expires INTEGER, problem TEXT, reason TEXT, PRIMARY KEY (subscription, seq)) WITHOUT ROWID;
  CREATE TABLE owner (partition TEXT);
  CREATE UNIQUE INDEX sources ON events (id) WHERE sourced = 1;
  CREATE INDEX topics ON subscriptions (topic) WHERE topic IS NOT NULL;
  CREATE INDEX subscribed ON subscriptions (kind) WHERE kind = 'events';
  CREATE INDEX retries ON deliveries (next) WHERE attempts > 0`;

/** The most ended deliveries that are kept. Those that arrived are deleted first. The list reads all of them. */
const MAX_LETTERS = 10_000;

export interface EventRow {
  /** The event's position: larger than that of every earlier event. */
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly occurred: number;
  readonly expires: number;
  /** 1 if the id comes from the event's source; else 0. */
  readonly sourced: number;
  readonly sealed: string;
}

/** A receiver: a subscription of MCP Events, or a callback. */
export interface SubscriptionRow {
  readonly id: string;
  /**
   * `events` for a subscription of MCP Events, `gone` for one whose receiver has ended it, `task` for the callback of a
   * task, `call` for that of a call.
   */
  readonly kind: "events" | "gone" | "task" | "call";
  /** Name of the events that it gets. */
  readonly name: string;
  /** Id of the task, for the callback of a task. */
  readonly topic: string | null;
  /** Hashes of the URL and of its host. */
  readonly url: string;
  readonly host: string;
  readonly expires: number;
  /** The number of its latest delivery that has ended. */
  readonly sequence: number;
  readonly delivered: number | null;
  readonly failing: number | null;
  readonly problem: DeliveryProblem | null;
  readonly sealed: string;
}

/** A delivery that has neither arrived nor been given up. */
export interface DeliveryRow {
  readonly subscription: string;
  /** Position of the event. */
  readonly seq: number;
  /** Number of the delivery in its subscription, from 1: `webhook-sequence`. */
  readonly sequence: number;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** When it is attempted next, in milliseconds since 1970. */
  readonly next: number;
  readonly problem: DeliveryProblem | null;
}

/** A delivery that has arrived or was given up, kept for its list. */
export interface LetterRow extends Omit<DeliveryRow, "next"> {
  readonly state: "delivered" | "dead";
  readonly at: number;
  readonly expires: number;
  readonly reason: string | null;
}

export type DeliveryKey = Pick<DeliveryRow, "subscription" | "seq">;

export class OutboxTable {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#tables = new Tables(storage, SCHEMA, "events");
  }

  get exists(): boolean {
    return this.#tables.exist;
  }

  /** Call it before each write. */
  make(partition: string): void {
    if (this.exists) return;
    this.#tables.make();
    this.#sql.exec("INSERT INTO owner VALUES (?)", partition);
  }

  remove(): Promise<void> {
    return this.#tables.remove();
  }

  get partition(): string | undefined {
    return this.#tables.rows<{ partition: string }>("SELECT partition FROM owner")[0]?.partition;
  }

  lastSeq(): number {
    return this.#tables.rows<{ seq: number | null }>("SELECT MAX(seq) AS seq FROM events")[0]?.seq ?? 0;
  }

  event(seq: number): EventRow | undefined {
    return this.#tables.rows<EventRow>("SELECT * FROM events WHERE seq = ?", seq)[0];
  }

  sourced(id: string): EventRow | undefined {
    return this.#tables.rows<EventRow>("SELECT * FROM events WHERE id = ? AND sourced = 1", id)[0];
  }

  /** Lets another event have the id of this one. */
  freeSource(seq: number): void {
    this.#sql.exec("UPDATE events SET sourced = 0 WHERE seq = ?", seq);
  }

  /** Events of a name after a position, and at or before another, oldest first. Reads the rows of other names, too. */
  events(name: string, after: number, upTo: number, limit: number): EventRow[] {
    const query = "SELECT * FROM events WHERE seq > ? AND seq <= ? AND name = ? ORDER BY seq LIMIT ?";
    return this.#tables.rows<EventRow>(query, after, upTo, name, limit);
  }

  /** The position of the `count`-th event, of any name, after a position; undefined if there are fewer. */
  reach(after: number, count: number): number | undefined {
    const query = "SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ?";
    return this.#tables.rows<{ seq: number }>(query, after, count - 1)[0]?.seq;
  }

  /** The position before the newest `count` events of any name; undefined if there are no more. */
  beforeNewest(count: number): number | undefined {
    const query = "SELECT seq FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?";
    return this.#tables.rows<{ seq: number }>(query, count)[0]?.seq;
  }

  /** The position before the newest `count` of the events that {@link events} gives; undefined if there are no more. */
  before(name: string, after: number, count: number): number | undefined {
    const query = "SELECT seq FROM events WHERE seq > ? AND name = ? ORDER BY seq DESC LIMIT 1 OFFSET ?";
    return this.#tables.rows<{ seq: number }>(query, after, name, count)[0]?.seq;
  }

  insertEvent({ seq, id, name, occurred, expires, sourced, sealed }: EventRow): void {
    const values = [seq, id, name, occurred, expires, sourced, sealed];
    this.#sql.exec("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", ...values);
  }

  subscription(id: string): SubscriptionRow | undefined {
    return this.#tables.rows<SubscriptionRow>("SELECT * FROM subscriptions WHERE id = ?", id)[0];
  }

  /** The subscriptions of MCP Events. */
  subscribed(now: number): SubscriptionRow[] {
    return this.#tables.rows<SubscriptionRow>("SELECT * FROM subscriptions WHERE kind = 'events' AND expires > ?", now);
  }

  /** The callbacks of a task. */
  ofTopic(topic: string, now: number): SubscriptionRow[] {
    const query = "SELECT * FROM subscriptions WHERE topic = ? AND expires > ?";
    return this.#tables.rows<SubscriptionRow>(query, topic, now);
  }

  putSubscription(row: SubscriptionRow): void {
    const { id, kind, name, topic, url, host, expires, sequence, delivered, failing, problem, sealed } = row;
    this.#sql.exec(
      "INSERT OR REPLACE INTO subscriptions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[id, kind, name, topic, url, host, expires, sequence, delivered, failing, problem, sealed],
    );
  }

  noteSubscription(id: string, changes: Partial<SubscriptionRow>): void {
    this.#change("subscriptions", changes, "id = ?", id);
  }

  removeSubscription(id: string): void {
    this.#sql.exec("DELETE FROM subscriptions WHERE id = ?", id);
  }

  /** The largest number of a delivery that has not ended. */
  lastSequence(subscription: string): number {
    const query = "SELECT MAX(sequence) AS last FROM deliveries WHERE subscription = ?";
    return this.#tables.rows<{ last: number | null }>(query, subscription)[0]?.last ?? 0;
  }

  insertDelivery({ subscription, seq, sequence, attempts, next, problem }: DeliveryRow): void {
    const query = "INSERT OR REPLACE INTO deliveries VALUES (?, ?, ?, ?, ?, ?)";
    this.#sql.exec(query, subscription, seq, sequence, attempts, next, problem);
  }

  delivery(key: DeliveryKey): DeliveryRow | undefined {
    return this.#keyed<DeliveryRow>("deliveries", key);
  }

  deliveries(subscription?: string, limit = -1): DeliveryRow[] {
    return this.#newest<DeliveryRow>("deliveries", subscription, limit);
  }

  countDeliveries(): number {
    return this.#tables.rows<{ count: number }>("SELECT COUNT(*) AS count FROM deliveries")[0]?.count ?? 0;
  }

  /** Subscriptions with deliveries that were never attempted, or whose attempt was cut short. */
  subscriptionsWithFresh(): string[] {
    const query = "SELECT DISTINCT subscription FROM deliveries WHERE attempts = 0";
    return this.#tables.rows<DeliveryKey>(query).map(({ subscription }) => subscription);
  }

  oldestFreshOf(subscription: string, limit: number): DeliveryKey[] {
    const query =
      "SELECT subscription, seq FROM deliveries WHERE subscription = ? AND attempts = 0 ORDER BY seq LIMIT ?";
    return this.#tables.rows<DeliveryKey>(query, subscription, limit);
  }

  /**
   * Retries that are due: the first of each host, then the second of each, so that none waits for a host that stalls.
   */
  due(now: number, limit: number): DeliveryKey[] {
    const query = `SELECT subscription, seq FROM (
        SELECT subscription, seq, next, ROW_NUMBER() OVER (PARTITION BY host ORDER BY next) AS place FROM deliveries
        LEFT JOIN subscriptions ON id = subscription WHERE attempts > 0 AND next <= ?) ORDER BY place, next LIMIT ?`;
    return this.#tables.rows<DeliveryKey>(query, now, limit);
  }

  nextRetry(): number | undefined {
    const query = "SELECT MIN(next) AS next FROM deliveries WHERE attempts > 0";
    return this.#tables.rows<{ next: number | null }>(query)[0]?.next ?? undefined;
  }

  /** The oldest event that a subscriber has not acknowledged; undefined if there is none. */
  firstOutstanding(subscription: string): number | undefined {
    const query = "SELECT MIN(seq) AS seq FROM deliveries WHERE subscription = ?";
    return this.#tables.rows<{ seq: number | null }>(query, subscription)[0]?.seq ?? undefined;
  }

  noteDelivery({ subscription, seq }: DeliveryKey, changes: Partial<DeliveryRow>): void {
    this.#change("deliveries", changes, "subscription = ? AND seq = ?", subscription, seq);
  }

  removeDelivery({ subscription, seq }: DeliveryKey): void {
    this.#sql.exec("DELETE FROM deliveries WHERE subscription = ? AND seq = ?", subscription, seq);
  }

  removeDeliveries(subscription: string): void {
    this.#sql.exec("DELETE FROM deliveries WHERE subscription = ?", subscription);
  }

  letter(key: DeliveryKey): LetterRow | undefined {
    return this.#keyed<LetterRow>("letters", key);
  }

  letters(subscription: string | undefined, limit: number, state?: LetterRow["state"]): LetterRow[] {
    return this.#newest<LetterRow>("letters", subscription, limit, state);
  }

  insertLetter(row: LetterRow): void {
    const { subscription, seq, sequence, attempts, state, at, expires, problem, reason } = row;
    this.#sql.exec(
      "INSERT OR REPLACE INTO letters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[subscription, seq, sequence, attempts, state, at, expires, problem, reason],
    );
  }

  removeLetter({ subscription, seq }: DeliveryKey): void {
    this.#sql.exec("DELETE FROM letters WHERE subscription = ? AND seq = ?", subscription, seq);
  }

  /**
   * Deletes what has expired. An event stays for as long as a delivery, waiting or ended, needs it.
   *
   * @param callsExpiringBy callbacks of calls that expire by then are deleted if none of their deliveries is left: of
   *              most calls, the delivery is forgotten long before, because there are newer ones
   */
  prune(now: number, callsExpiringBy: number): void {
    this.#sql.exec("DELETE FROM letters WHERE expires <= ?", now);
    const rest = `SELECT subscription, seq FROM letters ORDER BY state = 'dead', seq
      LIMIT MAX(0, (SELECT COUNT(*) FROM letters) - ${MAX_LETTERS})`;
    this.#sql.exec(`DELETE FROM letters WHERE (subscription, seq) IN (${rest})`);
    const ended = "SELECT subscription FROM deliveries UNION ALL SELECT subscription FROM letters";
    const done = `kind = 'call' AND expires <= ? AND id NOT IN (${ended})`;
    this.#sql.exec(`DELETE FROM subscriptions WHERE ${done}`, callsExpiringBy);
    const gone = "SELECT id FROM subscriptions WHERE expires <= ?";
    this.#sql.exec(`DELETE FROM deliveries WHERE subscription IN (${gone})`, now);
    this.#sql.exec("DELETE FROM subscriptions WHERE expires <= ?", now);
    const needed = "SELECT seq FROM deliveries UNION ALL SELECT seq FROM letters";
    this.#sql.exec(`DELETE FROM events WHERE expires <= ? AND seq NOT IN (${needed})`, now);
  }

  /** When the next row expires; undefined if there are none. */
  nextExpiry(now: number): number | undefined {
    const tables = ["letters", "subscriptions"].map((table) => `SELECT MIN(expires) AS at FROM ${table}`);
    // An expired event is still there only if another row needs it, which has an expiry of its own.
    const query = [...tables, "SELECT MIN(expires) AS at FROM events WHERE expires > ?"].join(" UNION ALL ");
    return this.#tables.rows<{ at: number | null }>(`SELECT MIN(at) AS at FROM (${query})`, now)[0]?.at ?? undefined;
  }

  #keyed<Row>(table: string, { subscription, seq }: DeliveryKey): Row | undefined {
    return this.#tables.rows<Row>(`SELECT * FROM ${table} WHERE subscription = ? AND seq = ?`, subscription, seq)[0];
  }

  #newest<Row>(table: string, subscription: string | undefined, limit: number, state?: string): Row[] {
    const wanted = Object.entries({ subscription, state }).filter((one): one is [string, string] => Boolean(one[1]));
    const where = ["TRUE", ...wanted.map(([column]) => `${column} = ?`)].join(" AND ");
    const values = wanted.map(([, value]) => value);
    return this.#tables.rows<Row>(`SELECT * FROM ${table} WHERE ${where} ORDER BY seq DESC LIMIT ?`, ...values, limit);
  }

  #change(table: string, changes: object, where: string, ...values: SqlStorageValue[]): void {
    const set = Object.keys(changes).map((column) => `${column} = ?`);
    const query = `UPDATE ${table} SET ${set.join(", ")} WHERE ${where}`;
    this.#sql.exec(query, ...(Object.values(changes) as []), ...values);
  }
}
