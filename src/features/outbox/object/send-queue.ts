/**
 * Decides which delivery is sent next. A Worker has six connections at a time, and a receiver that stalls holds one for
 * as long as an attempt may take. So no host gets more than two. All URLs whose last attempt failed or took long share
 * two, and get one only if no other delivery needs it. The other URLs of their hosts share two more: a caller may give
 * each message a URL of its own, and a host may answer at some of them and stall at others.
 */
import { dropOldest } from "../../../core/lib/drop-oldest.ts";

/** Connections that an invocation of a Worker can have open (Workers, Limits). */
const CONNECTIONS = 6;
const PER_HOST = 2;
const FOR_FAILING = 2;
const FOR_TROUBLED = 2;
/** How long a host counts as troubled after such an attempt, in milliseconds. */
const TROUBLED_MS = 600_000;
/**
 * URLs, or subscriptions, that an object remembers: a caller can have any number of them. A restart forgets them all, so
 * it is safe to forget the oldest.
 */
export const MAX_REMEMBERED = 10_000;

export interface Item {
  readonly key: string;
  readonly url: string;
  readonly host: string;
}

interface Host<Of> {
  fresh: Of[];
  failing: Of[];
  running: number;
}

export class SendQueue<Of extends Item> {
  readonly #hosts = new Map<string, Host<Of>>();
  /** URLs whose last delivery failed, or took long. */
  readonly #failing = new Set<string>();
  /** When a delivery to a host failed, or took long, for the last time. */
  readonly #troubledAt = new Map<string, number>();
  /** Keys of the deliveries that wait or are under way. */
  readonly #known = new Set<string>();
  /** The deliveries under way, by key, and whether each was started as one to a failing URL. */
  readonly #running = new Map<string, { readonly host: string; readonly toFailing: boolean }>();

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Puts a delivery at the end of its host's queue. @returns false if it is there already or under way */
  add(item: Of): boolean {
    if (this.#known.has(item.key)) return false;
    this.#known.add(item.key);
    const host = this.#hosts.get(item.host) ?? { fresh: [], failing: [], running: 0 };
    this.#hosts.set(item.host, host);
    host.fresh.push(item);
    return true;
  }

  /** Takes the next delivery to send; undefined if none waits, or all have to wait for a connection. */
  next(): Of | undefined {
    if (this.#running.size >= CONNECTIONS) return undefined;
    const running = [...this.#running.values()];
    const others = running.filter(({ toFailing, host }) => !toFailing && this.#isTroubled(host));
    for (const [name, host] of this.#hosts) {
      const item = this.#firstFresh(host);
      if (item === undefined || host.running >= PER_HOST) continue;
      if (others.length >= FOR_TROUBLED && this.#isTroubled(name)) continue;
      host.fresh.shift();
      return this.#start(item, name, host, false);
    }
    if (running.filter(({ toFailing }) => toFailing).length >= FOR_FAILING) return undefined;
    for (const [name, host] of this.#hosts) {
      const item = host.running < PER_HOST ? host.failing.shift() : undefined;
      if (item) return this.#start(item, name, host, true);
    }
    return undefined;
  }

  /** Call it when a delivery that `next` returned has ended. @param hasArrived undefined if it was not sent */
  end({ key, url, host: name }: Of, hasArrived: boolean | undefined): void {
    this.#running.delete(key);
    this.#known.delete(key);
    const host = this.#hosts.get(name);
    if (hasArrived === false) {
      this.#failing.add(url);
      dropOldest(this.#failing, MAX_REMEMBERED);
      this.#troubledAt.delete(name);
      this.#troubledAt.set(name, Date.now());
      dropOldest(this.#troubledAt, MAX_REMEMBERED);
    }
    if (host === undefined) return;
    host.running--;
    // What waited because this URL was failing comes before what was added later.
    if (hasArrived && this.#failing.delete(url)) {
      host.fresh = [...host.failing, ...host.fresh];
      host.failing = [];
    }
    if (host.running === 0 && host.fresh.length + host.failing.length === 0) this.#hosts.delete(name);
  }

  /** Also moves what waits in front of it for failing URLs. */
  #firstFresh({ fresh, failing }: Host<Of>): Of | undefined {
    for (let item = fresh[0]; item; item = fresh[0]) {
      if (!this.#failing.has(item.url)) return item;
      fresh.shift();
      failing.push(item);
    }
    return undefined;
  }

  #isTroubled(host: string): boolean {
    return (this.#troubledAt.get(host) ?? -Infinity) > Date.now() - TROUBLED_MS;
  }

  #start(item: Of, name: string, host: Host<Of>, toFailing: boolean): Of {
    host.running++;
    this.#running.set(item.key, { host: name, toFailing });
    // Move the host to the end, so that the next turn is another's.
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
    return item;
  }
}
