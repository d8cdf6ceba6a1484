/** The part of an outbox that serves callbacks of calls and tasks, and lists deliveries. */
import {
  type Delivery,
  type DeliveryFilter,
  type Full,
  MAX_DELIVERY_BYTES,
  TASK_FINISHED,
  type Webhook,
} from "../../../core/ports/outbox.ts";
import { isFull } from "../quota.ts";
import type { SubscriptionContent } from "./compose-message.ts";
import { NOTHING_YET, type OutboxCore, type SentEvent } from "./outbox-core.ts";
import type { DeliveryKey, SubscriptionRow } from "./outbox-table.ts";
import { callbackMs } from "./schedule.ts";
import type { SubscriptionName } from "./subscriptions.ts";

const MAX_LISTED = 1_000;
/** Most characters of URLs in a list: each may have 2,048, and an isolate holds an answer until its client reads it. */
const MAX_LISTED_URLS = 100_000;
const MAX_PER_TASK = 20;
/** How much longer than needed a callback is extended, so that the next answers to its task need not write it. */
const AHEAD_MS = 3_600_000;

/** More than a message takes when it is sealed, in bytes. */
const MAX_SEALED = 2 * MAX_DELIVERY_BYTES;

/** A callback to keep, as the Worker sends it to the object. */
export interface SentCallback {
  readonly name: SubscriptionName;
  readonly content: SubscriptionContent;
}

export class Webhooks {
  readonly #core: OutboxCore;

  constructor(core: OutboxCore) {
    this.#core = core;
  }

  /** @returns why no further message is taken now; undefined if one is */
  async full(partition: string): Promise<Full | undefined> {
    await this.#core.open(partition);
    return this.#refusal();
  }

  /**
   * Sends the message about a call to its callback.
   *
   * @param ofTask the id of the same callback as one of the task, if the call was a task: if the task has it, this URL
   *               gets that message
   * @returns why it is not sent, if the outbox is full
   */
  async send(
    partition: string,
    { name, content }: SentCallback,
    event: SentEvent,
    ofTask?: string,
  ): Promise<Full | undefined> {
    const sealed = await this.#sealed(partition, name, content);
    const { table } = this.#core;
    if (ofTask !== undefined && table.subscription(ofTask)) return undefined;
    const sent = await this.#core.emit(partition, event, (_, now) => {
      if (table.subscription(name.id)) return [];
      const expires = this.#until(now);
      const row: SubscriptionRow = {
        ...name,
        ...NOTHING_YET,
        kind: "call",
        topic: null,
        name: event.name,
        sealed,
        expires,
      };
      table.putSubscription(row);
      return [row];
    });
    return isFull(sent) ? sent : undefined;
  }

  /**
   * @param past the event at the end of the task, if it has ended
   * @returns undefined if the task has too many callbacks; why there is none, if the outbox is full
   */
  async register(
    partition: string,
    { name, content }: SentCallback,
    task: { readonly id: string; readonly expires: number; readonly event: string },
    past: SentEvent | undefined,
  ): Promise<Webhook | Full | undefined> {
    const { table } = this.#core;
    const sealed = await this.#sealed(partition, name, content);
    const full = this.#refusal();
    if (full) return full;
    const about = { kind: "task", topic: task.id, name: TASK_FINISHED, expires: this.#until(task.expires) } as const;
    const row: SubscriptionRow = { ...name, ...NOTHING_YET, ...about, sealed };
    let hasTooMany = false;
    const add = () => {
      const before = table.subscription(name.id);
      hasTooMany = before === undefined && table.ofTopic(task.id, Date.now()).length >= MAX_PER_TASK;
      if (hasTooMany) return [];
      table.make(partition);
      // Replaced if it is there already: it may have another token.
      table.putSubscription({ ...before, ...row });
      return before ? [] : [row];
    };
    const known = table.sourced(task.event);
    const told = known && (await this.#core.eventOf(known));
    let sent: string | Full = "";
    if (told) sent = await this.#core.emit(partition, { ...told, isSourced: true }, add);
    else {
      add();
      if (hasTooMany) return undefined;
      // The ledger may not have announced the end yet, or the outbox may have deleted the event.
      if (past) sent = await this.#core.emit(partition, past);
      else await this.#core.ring(row.expires);
    }
    if (isFull(sent)) return sent;
    return hasTooMany ? undefined : view(name.id, content);
  }

  async extend(task: string, expires: number): Promise<void> {
    const { table } = this.#core;
    const until = this.#until(expires);
    for (const row of table.ofTopic(task, Date.now()))
      if (row.expires < until) table.noteSubscription(row.id, { expires: until + AHEAD_MS });
  }

  async list(partition: string, task: string): Promise<Webhook[]> {
    await this.#core.open(partition);
    const rows = this.#core.table.ofTopic(task, Date.now());
    const contents = await Promise.all(rows.map((row) => this.#core.contentOf(row)));
    return rows.flatMap(({ id }, at) => {
      const content = contents[at];
      return content ? [view(id, content)] : [];
    });
  }

  async deliveries(partition: string, { of, state }: DeliveryFilter): Promise<Delivery[] | undefined> {
    const { table } = this.#core;
    await this.#core.open(partition);
    if (of && table.subscription(of.webhook)?.topic !== of.task) return undefined;
    const isOpen = state === undefined || state === "waiting";
    const waiting = isOpen ? table.deliveries(of?.webhook, MAX_LISTED) : [];
    const ended = state === "waiting" ? [] : table.letters(of?.webhook, MAX_LISTED, state);
    const rows = [
      ...waiting.map(({ next, ...row }) => ({ ...row, state: "waiting" as const, at: next, reason: null })),
      ...ended,
    ];
    const newest = rows.sort((a, b) => b.seq - a.seq).slice(0, MAX_LISTED);
    const listed: Delivery[] = [];
    let characters = 0;
    for (const { subscription, seq, state, attempts, at, problem, reason } of newest) {
      const row = table.subscription(subscription);
      const url = row && (await this.#core.contentOf(row))?.url;
      characters += url?.length ?? 0;
      if (characters > MAX_LISTED_URLS) break;
      const event = table.event(seq);
      listed.push({
        ...{ id: `${subscription}.${seq}`, webhook: subscription, url, state, attempts, at },
        ...{ event: event?.id ?? "", type: event?.name ?? "", problem: problem ?? undefined },
        reason: reason ?? undefined,
      });
    }
    return listed;
  }

  async redeliver(partition: string, id: string, of: DeliveryFilter["of"]): Promise<boolean | Full> {
    const { table, dispatcher } = this.#core;
    await this.#core.open(partition);
    const key = keyOf(id);
    const row = key && table.subscription(key.subscription);
    if (key === undefined || row === undefined || !table.event(key.seq)) return false;
    if (of && (of.webhook !== row.id || of.task !== row.topic)) return false;
    const now = Date.now();
    const letter = table.letter(key);
    const waiting = table.delivery(key);
    if (letter === undefined && waiting === undefined) return false;
    const full = this.#refusal();
    if (full) return full;
    // What waits for its next attempt is attempted now.
    if (waiting) table.noteDelivery(key, { next: now, attempts: 0 });
    if (letter) table.removeLetter(key);
    dispatcher.enqueueAgain(key, (letter ?? waiting)?.sequence ?? 1, row, now);
    const ringing = this.#core.ring(now + 1_000);
    dispatcher.go();
    await ringing;
    return true;
  }

  #refusal(): Full | undefined {
    return this.#core.quota.refusal(this.#core.held(MAX_SEALED), 1, Date.now());
  }

  async #sealed(partition: string, { id }: SubscriptionName, content: SubscriptionContent): Promise<string> {
    const seal = await this.#core.open(partition);
    return seal.seal(`subscription ${id}`, content);
  }

  /** When a callback is deleted: not before its message, which may be sent up to `last`. */
  #until(last: number): number {
    return last + callbackMs(this.#core.dependencies.settings);
  }
}

function view(id: string, { url, secret, token }: SubscriptionContent): Webhook {
  return { id, url, hasSecret: secret !== undefined, hasToken: token !== undefined };
}

function keyOf(id: string): DeliveryKey | undefined {
  const [, subscription, seq] = /^([\w-]+)\.(\d{1,16})$/.exec(id) ?? [];
  return subscription === undefined ? undefined : { subscription, seq: Number(seq) };
}
