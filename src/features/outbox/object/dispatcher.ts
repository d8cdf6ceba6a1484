/** Sends the queued deliveries, and decides what becomes of each: acknowledged, tried again later, or given up. */
import { dropOldest } from "../../../core/lib/drop-oldest.ts";
import { atMost } from "../../../core/lib/wait.ts";
import type { DeliveryProblem } from "../../../core/ports/outbox.ts";
import type { Quota } from "../quota.ts";
import type { OutboxSettings } from "../settings.ts";
import type { Attempted } from "./attempt.ts";
import type { DeliveryKey, DeliveryRow, OutboxTable, SubscriptionRow } from "./outbox-table.ts";
import { NOT_FOLLOWED } from "./problem.ts";
import { MAX_ATTEMPTS, waitAfter } from "./schedule.ts";
import { type Item, MAX_REMEMBERED, SendQueue } from "./send-queue.ts";

/** Deliveries in one invocation of the object, which can make 1,000 requests. */
const PER_INVOCATION = 500;
/**
 * Deliveries of one subscription that are held in memory. Further ones stay in their table until these have been sent:
 * a receiver that stalls must not fill the 128 MB of the object.
 */
const MAX_HELD = 200;
/** A receiver is slow if it takes more than this part of the time for an attempt: two of ten seconds. */
const SLOW = 0.2;
const MAX_DUE = 500;

/** The outbox, as far as its deliveries need it. */
export interface Outgoing {
  readonly dependencies: { readonly settings: Pick<OutboxSettings, "attemptMs" | "deadLetterSeconds" | "minuteMs"> };
  readonly table: OutboxTable;
  readonly quota: Pick<Quota, "count">;
  /** Sends a delivery. @returns undefined if it has ended since it was queued */
  deliver(delivery: DeliveryRow, to: SubscriptionRow): Promise<Attempted | undefined>;
  /** Sets the alarm to that time, unless it is set to an earlier one. */
  ring(at: number): Promise<void>;
  report(message: string, error: unknown): void;
}

type Queued = Item & DeliveryKey;

export class Dispatcher {
  readonly #core: Outgoing;
  /** How long a delivery is kept after it was given up or has arrived, in milliseconds. */
  readonly #keepMs: number;
  readonly #queue = new SendQueue<Queued>();
  /** The number of the newest delivery of a subscription. */
  readonly #sequences = new Map<string, number>();
  /** How many deliveries are held in memory, by subscription. */
  readonly #held = new Map<string, number>();
  /** Subscriptions with more deliveries in the table than are held in memory. */
  readonly #cut = new Set<string>();
  #allowance = 0;
  #hasLoaded = false;
  #waiting: (() => void)[] = [];

  constructor(core: Outgoing) {
    this.#core = core;
    this.#keepMs = core.dependencies.settings.deadLetterSeconds * 1_000;
  }

  /** Stores a delivery, and puts it in the queue. Synchronous, so that it is stored together with its event. */
  enqueue(subscription: SubscriptionRow, seq: number, now: number): void {
    const { id } = subscription;
    const sequence = this.#lastOf(subscription) + 1;
    this.#sequences.set(id, sequence);
    this.#core.quota.count(now);
    this.#core.table.insertDelivery({ subscription: id, seq, sequence, attempts: 0, next: now, problem: null });
    this.#add({ subscription: id, seq }, subscription);
  }

  /** The number of the newest delivery. Read it before one is removed: after a restart, only its row may have it. */
  #lastOf({ id, sequence }: SubscriptionRow): number {
    const last = this.#sequences.get(id) ?? Math.max(sequence, this.#core.table.lastSequence(id));
    this.#sequences.set(id, last);
    dropOldest(this.#sequences, MAX_REMEMBERED);
    return last;
  }

  /** Puts a delivery that has ended, or waits for its next attempt, in the queue again. */
  enqueueAgain(key: DeliveryKey, sequence: number, subscription: SubscriptionRow, now: number): void {
    this.#core.quota.count(now);
    this.#core.table.insertDelivery({ ...key, sequence, attempts: 0, next: now, problem: null });
    this.#add(key, subscription);
  }

  #add({ subscription, seq }: DeliveryKey, { url, host }: Pick<SubscriptionRow, "url" | "host">): void {
    const held = this.#held.get(subscription) ?? 0;
    if (held >= MAX_HELD) this.#cut.add(subscription);
    else if (this.#queue.add({ key: `${subscription} ${seq}`, subscription, seq, url, host })) {
      this.#held.set(subscription, held + 1);
    }
  }

  /** Counts a delivery as no longer held. Loads further ones of its subscription when half of them have been sent. */
  #release(subscription: string): void {
    const held = (this.#held.get(subscription) ?? 1) - 1;
    if (held > 0) this.#held.set(subscription, held);
    else this.#held.delete(subscription);
    if (held > MAX_HELD / 2 || !this.#cut.delete(subscription)) return;
    const { table } = this.#core;
    const row = table.subscription(subscription);
    // One more than can be held, to see whether there are more.
    if (row) for (const key of table.oldestFreshOf(subscription, MAX_HELD + 1)) this.#add(key, row);
  }

  /**
   * Begins to send: as many deliveries as may be under way at a time, and the next when one ends. Call it in each
   * invocation of the object.
   */
  go(): void {
    this.#allowance = PER_INVOCATION;
    this.#loadFresh();
    this.#pump();
  }

  /** Also sends the retries that are due. Reads all of them: the alarm does it, which rings for each. */
  goOn(): void {
    const { table } = this.#core;
    if (table.exists) this.#addAll(table.due(Date.now(), MAX_DUE));
    this.#pump();
  }

  get isIdle(): boolean {
    return this.#queue.isIdle;
  }

  /**
   * Waits until nothing is under way, but at most `ms` milliseconds.
   *
   * @returns whether deliveries are left to send now
   */
  async rest(ms: number): Promise<boolean> {
    if (!this.#queue.isIdle) await atMost(new Promise<void>((resolve) => this.#waiting.push(resolve)), ms);
    return !this.#queue.isEmpty;
  }

  /** Puts in the queue the deliveries that were under way when the object restarted. */
  #loadFresh(): void {
    const { table } = this.#core;
    if (this.#hasLoaded || !table.exists) return;
    this.#hasLoaded = true;
    this.#addAll(table.subscriptionsWithFresh().flatMap((id) => table.oldestFreshOf(id, MAX_HELD + 1)));
  }

  #addAll(keys: readonly DeliveryKey[]): void {
    const { table } = this.#core;
    for (const key of keys) {
      const subscription = table.subscription(key.subscription);
      if (subscription) this.#add(key, subscription);
      else table.removeDelivery(key);
    }
  }

  #pump(): void {
    for (; this.#allowance > 0; this.#allowance--) {
      const queued = this.#queue.next(Date.now());
      if (queued === undefined) break;
      this.#run(queued);
      // Another invocation sends what this one may not.
      if (this.#allowance === 1) this.#core.ring(Date.now());
    }
    if (!this.#queue.isIdle) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }

  async #run(queued: Queued): Promise<void> {
    let hasArrived: boolean | undefined;
    const started = Date.now();
    try {
      hasArrived = await this.#deliver(queued);
    } catch (error) {
      // The delivery is still in its table: the next alarm loads it again.
      this.#hasLoaded = false;
      this.#core.report("delivery not attempted", error);
    }
    // A slow receiver holds a connection that others need, like one that fails.
    const now = Date.now();
    const isSlow = now - started > this.#core.dependencies.settings.attemptMs * SLOW;
    this.#queue.end(queued, hasArrived && !isSlow, now);
    this.#release(queued.subscription);
    this.#pump();
  }

  /** @returns whether it has arrived; undefined if it was not sent */
  async #deliver(key: DeliveryKey): Promise<boolean | undefined> {
    const { table } = this.#core;
    const delivery = table.delivery(key);
    const subscription = table.subscription(key.subscription);
    if (delivery === undefined) return undefined;
    // The subscription has ended.
    if (subscription === undefined || subscription.expires <= Date.now()) {
      table.removeDelivery(key);
      return undefined;
    }
    const attempted = await this.#core.deliver(delivery, subscription);
    switch (attempted?.state) {
      case undefined:
        return undefined;
      case "unsent":
        this.#giveUp(key, attempted.reason, delivery.attempts, null);
        return undefined;
      case "delivered":
        await attempted.response.body?.cancel().catch(() => {});
        this.#acknowledge(key);
        return true;
      case "failed":
      case "hopeless":
        await this.#fail(key, attempted);
        return false;
    }
  }

  #acknowledge(key: DeliveryKey): void {
    const { table } = this.#core;
    const delivery = table.delivery(key);
    const subscription = table.subscription(key.subscription);
    // Either may have ended during the attempt.
    if (delivery === undefined || subscription === undefined) return;
    const last = this.#lastOf(subscription);
    table.removeDelivery(key);
    const { sequence, attempts } = delivery;
    const now = Date.now();
    if (subscription.kind !== "events") {
      const letter = { ...key, sequence, attempts: attempts + 1, problem: null, reason: null };
      table.insertLetter({ ...letter, state: "delivered", at: now, expires: now + this.#keepMs });
      this.#sequences.delete(subscription.id);
      return;
    }
    // Each row that is written costs. To use no number twice, it is enough to store the newest delivery's.
    if (sequence !== last && subscription.failing === null) return;
    const noted = Math.max(subscription.sequence, sequence);
    table.noteSubscription(subscription.id, { sequence: noted, delivered: now, failing: null });
  }

  async #fail(key: DeliveryKey, attempted: Attempted & { state: "failed" | "hopeless" }): Promise<void> {
    const { table, dependencies } = this.#core;
    const delivery = table.delivery(key);
    const subscription = table.subscription(key.subscription);
    if (delivery === undefined || subscription === undefined) return;
    const { problem } = attempted;
    const attempts = delivery.attempts + 1;
    const now = Date.now();
    if (subscription.failing === null || subscription.problem !== problem)
      table.noteSubscription(subscription.id, { failing: subscription.failing ?? now, problem });
    if (attempted.state === "hopeless") {
      this.#giveUp(key, attempted.reason, attempts, problem);
      if (attempted.isGone && subscription.kind === "events") this.#end(subscription, attempted.reason);
      return;
    }
    const wait = waitAfter(attempts, attempted.retryAfterMs, Math.random(), dependencies.settings.minuteMs);
    if (wait === undefined) {
      const why = problem === "redirect" ? `; the last was answered with a redirect, and ${NOT_FOLLOWED}` : "";
      return this.#giveUp(key, `All ${MAX_ATTEMPTS} attempts failed${why}`, attempts, problem);
    }
    table.noteDelivery(key, { attempts, next: now + wait, problem });
    await this.#core.ring(now + wait);
  }

  /** Ends a subscription whose receiver is gone for good. */
  #end({ id }: SubscriptionRow, reason: string): void {
    const { table } = this.#core;
    for (const delivery of table.deliveries(id))
      this.#giveUp({ subscription: id, seq: delivery.seq }, reason, delivery.attempts, delivery.problem);
    // Keep the row: what was given up is listed with its URL, and may be sent again.
    table.noteSubscription(id, { kind: "gone" });
  }

  /** Turns a delivery into a dead letter. */
  #giveUp(key: DeliveryKey, reason: string, attempts: number, problem: DeliveryProblem | null): void {
    const { table } = this.#core;
    const delivery = table.delivery(key);
    const subscription = table.subscription(key.subscription);
    if (delivery === undefined || subscription === undefined) return;
    const last = this.#lastOf(subscription);
    table.removeDelivery(key);
    const at = Date.now();
    const { sequence } = delivery;
    table.insertLetter({ ...key, sequence, attempts, state: "dead", at, expires: at + this.#keepMs, problem, reason });
    // As in #acknowledge.
    if (sequence === last) table.noteSubscription(key.subscription, { sequence });
  }
}
