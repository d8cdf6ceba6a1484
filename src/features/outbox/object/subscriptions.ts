/** The part of an outbox that serves MCP Events: reading events, and subscriptions with a URL. */

import { atMost } from "../../../core/lib/wait.ts";
import type {
  EventFilter,
  EventOccurrence,
  EventPage,
  From,
  NewSubscription,
  Subscribed,
} from "../../../core/ports/outbox.ts";
import { fullInWords } from "../quota.ts";
import { keyOfSecret } from "../signing.ts";
import { wrongTarget } from "../target.ts";
import { beginning } from "./attempt.ts";
import { controlMessage, ROTATION_MS, type SubscriptionContent } from "./compose-message.ts";
import { NOTHING_YET, type OutboxCore } from "./outbox-core.ts";
import type { EventRow, SubscriptionRow } from "./outbox-table.ts";
import { failedChallenge } from "./problem.ts";

const MIN_TTL_MS = 60_000;
const MAX_ECHO_BYTES = 4_096;
/** The most earlier events that are looked at for a new subscription, or for one request. */
const MAX_LOOKED_AT = 1_000;
/** The most events of any name that are read to find those of one name. */
const MAX_SCANNED = 5_000;
/** The most events that are read at once: few, because each may have 256 KiB. */
const MAX_PAGE = 10;
const END = Number.MAX_SAFE_INTEGER;
/** The most that one request reads, in characters of sealed events: a client that wants more asks again. */
const MAX_READ = 500_000;

/** More than a subscription takes when it is sealed, in bytes: its arguments have up to 8,192 characters. */
const MAX_SEALED = 65_536;

/** What identifies a subscription: its id, and hashes of its URL and of the URL's host. */
export type SubscriptionName = Pick<SubscriptionRow, "id" | "url" | "host">;

/** How long others wait for a request that reads events, in milliseconds. */
const TURN_MS = 5_000;

type PageFrom = From & { readonly limit: number };

export class Subscriptions {
  readonly #core: OutboxCore;
  /** Ends when the last request that reads events has done so. */
  #reading = Promise.resolve();

  constructor(core: OutboxCore) {
    this.#core = core;
  }

  read(partition: string, filter: EventFilter, from: PageFrom): Promise<EventPage> {
    return this.#inTurn(() => this.#readPage(partition, filter, from));
  }

  /**
   * One request at a time: the events that many read at once, which may be large, do not fit into the 128 MB of the
   * object.
   */
  async #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#reading.then(() => ({ working: work() }));
    // A fork's `matches` may never return: the others do not wait for it for ever.
    this.#reading = turn.then(({ working }) => atMost(working, TURN_MS));
    return (await turn).working;
  }

  async #readPage(partition: string, filter: EventFilter, from: PageFrom): Promise<EventPage> {
    const { table } = this.#core;
    await this.#core.open(partition);
    const start = this.#start(filter.name, from);
    const events: EventOccurrence[] = [];
    let after = start.position;
    let read = 0;
    const reach = table.reach(after, MAX_SCANNED);
    for (let lookedAt = 0; ; ) {
      const rows = table.events(filter.name, after, reach ?? END, Math.min(from.limit + 1, MAX_PAGE));
      if (rows.length === 0) break;
      for (const row of rows) {
        if (events.length === from.limit || lookedAt === MAX_LOOKED_AT || read > MAX_READ)
          return { events, cursor: String(after), isTruncated: start.isTruncated, hasMore: true };
        const event = await this.#wanted(row, filter);
        if (event) events.push(event);
        after = row.seq;
        lookedAt++;
        read += row.sealed.length;
      }
    }
    const cursor = String(reach ?? Math.max(after, this.#core.position(Date.now())));
    return { events, cursor, isTruncated: start.isTruncated, hasMore: reach !== undefined };
  }

  async #wanted(row: EventRow, filter: EventFilter): Promise<EventOccurrence | undefined> {
    const event = await this.#core.eventOf(row);
    if (event === undefined || !(await this.#core.dependencies.matches(filter, event))) return undefined;
    const { result, ...told } = event;
    return told;
  }

  /** Where to begin, and whether events after the requested position have been deleted or are too old. */
  #start(name: string, { cursor, maxAgeMs }: From): { position: number; isTruncated: boolean } {
    const now = Date.now();
    const { table, dependencies } = this.#core;
    if (cursor === null) return { position: this.#core.position(now), isTruncated: false };
    const isKnown = /^\d{1,16}$/.test(cursor) && Number.isSafeInteger(Number(cursor));
    const position = isKnown ? Math.min(Number(cursor), this.#core.position(now)) : 0;
    const isLost = this.#core.timeOf(position) < now - dependencies.settings.eventSeconds * 1_000;
    if (maxAgeMs === undefined) return { position, isTruncated: isLost };
    // Events before this position are too old. If there are more than one request may read, some count as skipped.
    const young = Math.max(position, this.#core.positionAt(now - maxAgeMs));
    const reach = table.reach(position, MAX_SCANNED) ?? young;
    const isSkipped = reach < young || table.events(name, position, young, 1).length > 0;
    return { position: young, isTruncated: isLost || isSkipped };
  }

  /** @param key identifies the subscription: HMACs, which only the Worker can make */
  async subscribe(partition: string, key: SubscriptionName, wanted: NewSubscription): Promise<Subscribed> {
    const { table, dependencies } = this.#core;
    const { url, secret } = wanted;
    const wrong = wrongTarget(url, dependencies.attempts.allowed);
    if (wrong) return { state: "refused", message: `The URL ${wrong}` };
    if (keyOfSecret(secret) === undefined)
      return { state: "refused", message: 'The secret must be "whsec_" and base64 of 24 to 64 bytes' };
    await this.#core.open(partition);
    const { subscriptionsPerPrincipal: max } = dependencies.settings;
    const isFull = () => {
      const others = table.subscribed(Date.now());
      return others.length >= max && !others.some(({ id }) => id === key.id);
    };
    if (isFull()) return { state: "full", max };
    // Until they expire, subscriptions that have ended are kept as well.
    const full = this.#core.quota.refusal(this.#core.held(MAX_SEALED), 0, Date.now());
    if (full) return { state: "refused", message: fullInWords(full) };
    if (!table.subscribed(Date.now()).some((other) => other.url === key.url)) {
      const failed = await this.#challenge(key, { url, secret });
      if (failed) return { state: "unverified", ...failed };
    }
    return this.#inTurn(() => this.#subscribe(partition, key, wanted, isFull, max));
  }

  async #subscribe(
    partition: string,
    key: SubscriptionName,
    wanted: NewSubscription,
    isFull: () => boolean,
    max: number,
  ): Promise<Subscribed> {
    const { table } = this.#core;
    const { url, secret } = wanted;
    const seal = await this.#core.open(partition);
    const from = this.#start(wanted.name, wanted);
    // A subscriber that comes back after a long time gets the newest events, and is told that there were more.
    const start = Math.max(from.position, table.beforeNewest(MAX_SCANNED) ?? 0);
    const older = table.before(wanted.name, start, MAX_LOOKED_AT);
    const skipped = older ?? (start > from.position ? start : undefined);
    const replayed: number[] = [];
    let after = skipped ?? from.position;
    for (;;) {
      const before = table.subscription(key.id);
      const kept = before && (await this.#core.contentOf(before));
      const content: SubscriptionContent = {
        ...{ url, secret, args: wanted.args },
        earlier: kept && earlierOf(kept, secret, Date.now()),
      };
      const sealed = await seal.seal(`subscription ${key.id}`, content);
      const isNew = !isActive(before);
      const page = () => (isNew ? table.events(wanted.name, after, END, MAX_PAGE) : []);
      for (let rows = page(); rows.length > 0; rows = page()) {
        for (const row of rows) {
          if (await this.#wanted(row, wanted)) replayed.push(row.seq);
          after = row.seq;
        }
      }
      // Another request, or an event, may have come in between.
      const current = table.subscription(key.id);
      if (current?.sealed !== before?.sealed || isActive(current) === isNew || page().length > 0) continue;
      if (isFull()) return { state: "full", max };
      const isTruncated = from.isTruncated || (isNew && skipped !== undefined);
      return this.#store(partition, key, wanted, sealed, current, isNew ? replayed : [], isTruncated);
    }
  }

  /** Stores a subscription, and queues the events that it missed. Synchronous until all of it is stored. */
  async #store(
    partition: string,
    key: SubscriptionName,
    { name, ttlMs }: NewSubscription,
    sealed: string,
    before: SubscriptionRow | undefined,
    missed: readonly number[],
    isTruncated: boolean,
  ): Promise<Subscribed> {
    const { table, dispatcher } = this.#core;
    const now = Date.now();
    const expires = now + this.#lifetimeMs(ttlMs);
    const about = { ...key, kind: "events", name, topic: null, expires, sealed } as const;
    const row: SubscriptionRow = { ...NOTHING_YET, ...before, ...about };
    table.make(partition);
    table.putSubscription(row);
    this.#core.changed();
    // If there is no room for all, send the newest.
    const left = this.#core.quota.left(this.#core.held(0), now);
    const sent = missed.slice(Math.max(0, missed.length - left));
    for (const seq of sent) dispatcher.enqueue(row, seq, now);
    const cursor = String(this.#core.watermark(key.id));
    const ringing = this.#core.ring(missed.length > 0 ? now + MIN_TTL_MS : expires);
    dispatcher.go();
    await ringing;
    const delivery = isActive(before)
      ? {
          isActive: true,
          lastDelivered: before.delivered ?? undefined,
          lastProblem: before.failing === null ? undefined : (before.problem ?? undefined),
          failingSince: before.failing ?? undefined,
        }
      : undefined;
    const isCut = isTruncated || sent.length < missed.length;
    return { state: "subscribed", id: key.id, expires, cursor, isTruncated: isCut, delivery };
  }

  #lifetimeMs(ttlMs: number | null | undefined): number {
    const maxMs = this.#core.dependencies.settings.subscriptionSeconds * 1_000;
    return Math.max(MIN_TTL_MS, Math.min(ttlMs ?? maxMs, maxMs));
  }

  async unsubscribe(partition: string, id: string): Promise<boolean> {
    const { table } = this.#core;
    await this.#core.open(partition);
    const row = table.subscription(id);
    if (!isActive(row)) return false;
    table.removeSubscription(id);
    table.removeDeliveries(id);
    this.#core.changed();
    return true;
  }

  /** Asks a receiver whether it wants events from this server. @returns undefined if it does; else what went wrong */
  async #challenge({ id }: SubscriptionName, content: SubscriptionContent) {
    const challenge = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
    const asked = await this.#core.post(await controlMessage(id, content, { type: "verification", challenge }));
    const { limitMs } = this.#core.dependencies.attempts;
    if (asked.state !== "delivered") return failedChallenge(asked.problem, limitMs);
    const text = await beginning(asked.response, MAX_ECHO_BYTES);
    return isEqual(echoIn(text), challenge) ? undefined : failedChallenge(undefined, limitMs);
  }
}

function isActive(row: SubscriptionRow | undefined): row is SubscriptionRow {
  return row?.kind === "events" && row.expires > Date.now();
}

/** The replaced secret, which signs together with the new one for a while. */
function earlierOf(
  { secret, earlier }: SubscriptionContent,
  next: string,
  now: number,
): SubscriptionContent["earlier"] {
  if (secret === undefined) return undefined;
  return secret === next ? earlier : { secret, until: now + ROTATION_MS };
}

function echoIn(text: string): string {
  try {
    const { challenge } = JSON.parse(text);
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}

/** Compares in constant time. */
function isEqual(text: string, wanted: string): boolean {
  const [a, b] = [text, wanted].map((one) => new TextEncoder().encode(one)) as [Uint8Array, Uint8Array];
  return a.length === b.length && crypto.subtle.timingSafeEqual(a, b);
}
