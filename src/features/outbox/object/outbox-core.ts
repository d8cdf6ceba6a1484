/** The core of an outbox: stores events, finds out who gets each, and has it delivered. Its other parts build on it. */

import { type Seal, sealFor } from "../../../core/crypto/seal.ts";
import type { Signer } from "../../../core/crypto/signer.ts";
import { dropOldest } from "../../../core/lib/drop-oldest.ts";
import { describeError, type Log } from "../../../core/lib/log.ts";
import { type EventOccurrence, type Full, TASK_FINISHED } from "../../../core/ports/outbox.ts";
import { type Held, Quota } from "../quota.ts";
import type { OutboxSettings } from "../settings.ts";
import { type AttemptDependencies, type Attempted, attempt, type Post } from "./attempt.ts";
import { type EventContent, eventMessage, type SubscriptionContent } from "./compose-message.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { Matcher } from "./matches.ts";
import { type DeliveryRow, type EventRow, OutboxTable, type SubscriptionRow } from "./outbox-table.ts";
import { callbackMs } from "./schedule.ts";

export interface OutboxDependencies {
  readonly storage: DurableObjectStorage;
  readonly signer: Signer;
  readonly matches: Matcher;
  readonly attempts: AttemptDependencies;
  readonly settings: OutboxSettings;
  readonly log: Log;
}

/** An event to keep, as the Worker sends it to the object. */
export interface SentEvent extends EventContent {
  readonly id: string;
  readonly name: string;
  /** Whether the id comes from the event's source: then a second event with this id is the same event. */
  readonly isSourced: boolean;
}

/** How long an alarm waits for the deliveries under way. An alarm may run for 15 minutes. */
const MAX_ALARM_MS = 10 * 60_000;
/** The shortest time between two searches for what has expired, in milliseconds. */
const PRUNE_MS = 60_000;
/** The shortest time between two searches for retries that are due, in milliseconds. */
const RETRY_MS = 1_000;
/** What is noted of a receiver before its first delivery ends. */
export const NOTHING_YET = { sequence: 0, delivered: null, failing: null, problem: null } as const;

/** How many positions there are for each millisecond. A position is a time, so that its age is known. */
const PER_MS = 1_000;

export class OutboxCore {
  readonly dependencies: OutboxDependencies;
  readonly table: OutboxTable;
  readonly dispatcher: Dispatcher;
  readonly quota = new Quota();
  /** When the alarm looks whether everything has been sent: later than an attempt that has just begun can end. */
  readonly #safetyMs: number;
  readonly #retryMs: number;
  #pruned = 0;
  #seal: Seal | undefined;
  #alarm: number | null | undefined;
  #lastSeq: number | undefined;
  /** How often a subscription was made or ended since the object started. */
  #changes = 0;
  readonly #contents = new Map<string, { readonly sealed: string; readonly content: SubscriptionContent }>();

  constructor(dependencies: OutboxDependencies) {
    this.dependencies = dependencies;
    this.table = new OutboxTable(dependencies.storage);
    const { minuteMs, attemptMs } = dependencies.settings;
    this.#safetyMs = 2 * attemptMs;
    this.#retryMs = Math.min(RETRY_MS, minuteMs);
    this.dispatcher = new Dispatcher(this);
  }

  report(message: string, error: unknown): void {
    this.dependencies.log({ level: "error", message, error: describeError(error) });
  }

  post(post: Post) {
    return attempt(post, this.dependencies.attempts);
  }

  /** Loads what the other methods need. Call it first, so that they can run without waiting for storage. */
  async open(partition: string): Promise<Seal> {
    if (this.#alarm === undefined) this.#alarm = await this.dependencies.storage.getAlarm();
    this.#seal ??= await sealFor(this.dependencies.signer, ["outbox", partition]);
    return this.#seal;
  }

  async ring(at: number): Promise<void> {
    const known = this.#alarm;
    if (known !== undefined && known !== null && known <= at) return;
    this.#alarm = at;
    await this.dependencies.storage.setAlarm(at);
  }

  /** The position after all events so far. */
  position(now: number): number {
    this.#lastSeq ??= this.table.lastSeq();
    // A second in the past, so that no later event gets a position at or before one that a client already has.
    return Math.max(this.#lastSeq, (now - 1_000) * PER_MS);
  }

  /** The time that a position stands for, in milliseconds since 1970. */
  timeOf(position: number): number {
    return position / PER_MS;
  }

  /** The position before all events since a time, in milliseconds since 1970. */
  positionAt(time: number): number {
    return time * PER_MS - 1;
  }

  /** @param more bytes that are about to be stored */
  held(more: number): Held {
    return { bytes: this.dependencies.storage.sql.databaseSize + more, waiting: () => this.table.countDeliveries() };
  }

  /** Call it when a subscription was made or has ended. */
  changed(): void {
    this.#changes++;
  }

  /**
   * Stores an event together with a delivery for each receiver, and begins to deliver it.
   *
   * @param also stores more in the same step, and returns the only receivers: given for callbacks, whose event may be
   *             stored already. Default: those who subscribe, and the callbacks of the task that the event is about
   * @returns the event's id, or why nothing was stored
   */
  async emit(
    partition: string,
    event: SentEvent,
    also?: (seq: number, now: number) => SubscriptionRow[],
  ): Promise<string | Full> {
    const seal = await this.open(partition);
    const { id, name, data, result, isSourced } = event;
    const sealed = await seal.seal(`event ${id}`, { data, result });
    const subscribed = also ? [] : await this.#subscribed(event);
    const now = Date.now();
    const earlier = isSourced ? this.table.sourced(id) : undefined;
    // An expired event stays while a delivery needs it. Its id is free again.
    const known = earlier && (also || earlier.expires > now) ? earlier : undefined;
    if (known && !also) return id;
    const ofTask = also === undefined && name === TASK_FINISHED ? this.table.ofTopic(String(data.task_id), now) : [];
    const full = this.quota.refusal(this.held(sealed.length), also ? 1 : subscribed.length + ofTask.length, now);
    if (full) return full;
    this.table.make(partition);
    const seq = known?.seq ?? Math.max(this.position(now) + 1, now * PER_MS);
    if (known === undefined) {
      const expires = now + this.dependencies.settings.eventSeconds * 1_000;
      const sourced = isSourced ? 1 : 0;
      if (earlier) this.table.freeSource(earlier.seq);
      this.table.insertEvent({ seq, id, name, occurred: now, expires, sourced, sealed });
      this.#lastSeq = seq;
    }
    const recipients = also ? also(seq, now) : [...subscribed, ...ofTask];
    for (const recipient of recipients) this.dispatcher.enqueue(recipient, seq, now);
    const wait = recipients.length > 0 ? this.#safetyMs : this.dependencies.settings.eventSeconds * 1_000;
    const ringing = this.ring(now + wait);
    this.dispatcher.go();
    await ringing;
    return id;
  }

  async #subscribed(event: SentEvent): Promise<SubscriptionRow[]> {
    for (;;) {
      const before = this.#changes;
      const rows = this.table.subscribed(Date.now()).filter(({ name }) => name === event.name);
      const found = await Promise.all(rows.map(async (row) => ((await this.isFor(row, event)) ? [row] : [])));
      // Otherwise a subscription was made or ended in between: look again, so that a new one does not miss the event.
      if (this.#changes === before) return found.flat();
    }
  }

  async isFor(row: SubscriptionRow, event: Pick<SentEvent, "id" | "name" | "data">): Promise<boolean> {
    const content = await this.contentOf(row);
    return content !== undefined && this.dependencies.matches({ name: row.name, args: content.args ?? {} }, event);
  }

  async contentOf({ id, sealed }: SubscriptionRow): Promise<SubscriptionContent | undefined> {
    const known = this.#contents.get(id);
    if (known?.sealed === sealed) return known.content;
    const content = (await this.#seal?.open<SubscriptionContent>(`subscription ${id}`, sealed))?.value;
    // Only subscriptions have arguments. A callback is used once, so it is not worth keeping.
    if (content?.args) this.#keep(id, { sealed, content });
    return content;
  }

  /** Keeps at most as many as there may be subscriptions. Some of them may have ended. */
  #keep(id: string, kept: { readonly sealed: string; readonly content: SubscriptionContent }): void {
    this.#contents.set(id, kept);
    dropOldest(this.#contents, this.dependencies.settings.subscriptionsPerPrincipal);
  }

  async eventOf({ id, name, occurred, seq, sealed }: EventRow): Promise<(EventOccurrence & EventContent) | undefined> {
    const content = (await this.#seal?.open<EventContent>(`event ${id}`, sealed))?.value;
    return content && { id, name, occurred, cursor: String(seq), ...content };
  }

  /** The latest position such that every event up to it was acknowledged or given up. */
  watermark(subscription: string): number {
    const first = this.table.firstOutstanding(subscription);
    return first === undefined ? this.position(Date.now()) : first - 1;
  }

  /** Sends a message, signed as of now. @returns undefined if its delivery has ended while it was composed */
  async deliver(delivery: DeliveryRow, to: SubscriptionRow): Promise<Attempted | undefined> {
    const message = await this.#compose(delivery, to);
    if (message === undefined) {
      return { state: "unsent", reason: "The message cannot be opened: the signing key was replaced" };
    }
    // The delivery is gone if another one was answered with 410 in the meantime.
    return this.table.delivery(delivery) && this.post(message);
  }

  /** Composes a message, signed as of now. @returns undefined if its contents can no longer be opened */
  async #compose({ subscription, seq, sequence }: DeliveryRow, row: SubscriptionRow): Promise<Post | undefined> {
    const kept = this.table.event(seq);
    const [event, content] = await Promise.all([kept && this.eventOf(kept), this.contentOf(row)]);
    if (event === undefined || content === undefined) return undefined;
    return eventMessage(row, content, { ...event, cursor: String(this.watermark(subscription)) }, sequence);
  }

  /** Waits until nothing is under way. Also sends what becomes due: receivers that stall do not hold up others. */
  async #rest(): Promise<boolean> {
    const end = Date.now() + MAX_ALARM_MS;
    for (;;) {
      const now = Date.now();
      const due = Math.max(this.table.nextRetry() ?? end, now + this.#retryMs);
      const isLeft = await this.dispatcher.rest(Math.min(due, end) - now);
      if (this.dispatcher.isIdle || Date.now() >= end) return isLeft;
      this.dispatcher.goOn();
    }
  }

  /**
   * Deletes what has expired, at most once a minute, because that reads all rows.
   *
   * @returns when to look again, if ever
   */
  #prune(now: number): number | undefined {
    const again = this.#pruned + PRUNE_MS;
    if (now < again) return again;
    this.#pruned = now;
    // Callbacks of calls that were made longer ago than events are kept.
    const { settings } = this.dependencies;
    this.table.prune(now, now + callbackMs(settings) - settings.eventSeconds * 1_000);
    return this.table.nextExpiry(now);
  }

  /** Sends what is due, and deletes what has expired. Sets the alarm again for as long as anything is stored. */
  async alarm(): Promise<void> {
    this.#alarm = null;
    const { partition } = this.table;
    if (partition === undefined) return this.table.remove();
    // If this alarm is cut short, there is another.
    await this.ring(Date.now() + this.#safetyMs);
    await this.open(partition);
    this.dispatcher.go();
    this.dispatcher.goOn();
    const isLeft = await this.#rest();
    const now = Date.now();
    const expiry = this.#prune(now);
    if (expiry === undefined && this.table.deliveries(undefined, 1).length === 0) {
      this.#contents.clear();
      this.#alarm = null;
      return this.table.remove();
    }
    const retry = this.table.nextRetry();
    const due = [
      isLeft ? now : undefined,
      // Deliveries that were not attempted, because something went wrong before.
      !isLeft && this.table.subscriptionsWithFresh().length > 0 ? now + this.#safetyMs : undefined,
      retry && Math.max(retry, now + this.#retryMs),
      expiry && Math.max(expiry, now + PRUNE_MS),
    ];
    const next = Math.min(...due.filter((at) => at !== undefined));
    this.#alarm = next;
    await this.dependencies.storage.setAlarm(next);
  }
}
