/**
 * Decides which delivery is sent next. A Worker has six connections at a time, and a receiver that stalls holds one for
 * as long as an attempt may take. So no host gets more than two. All URLs whose last attempt failed or took long share
 * two, and get one only if no other delivery needs it; so do new URLs of their hosts, because a caller may give each
 * message a URL of its own.
 */
import { dropOldest } from "../../../core/lib/drop-oldest.ts";

/** Connections that an invocation of a Worker can have open (Workers, Limits). */
const CONNECTIONS = 6;
const PER_HOST = 2;
const FOR_FAILING = 2;
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
  readonly fresh: Of[];
  readonly failing: Of[];
  running: number;
}

export class SendQueue<Of extends Item> {
  readonly #hosts = new Map<string, Host<Of>>();
  /** URLs whose last delivery failed, or took long; and hosts of which that is true. */
  readonly #failing = new Set<string>();
  readonly #failingHosts = new Set<string>();
  /** URLs whose last delivery arrived. */
  readonly #arrived = new Set<string>();
  /** Keys of the deliveries that wait or are under way. */
  readonly #known = new Set<string>();
  /** The deliveries under way, by key, and whether each was started as one to a failing URL. */
  readonly #running = new Map<string, boolean>();
  #runningFailing = 0;

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
    for (const [name, host] of this.#hosts) {
      if (host.running >= PER_HOST) continue;
      const item = this.#nextFresh(host);
      if (item) return this.#start(item, name, host, false);
    }
    if (this.#runningFailing >= FOR_FAILING) return undefined;
    for (const [name, host] of this.#hosts) {
      const item = host.running < PER_HOST ? host.failing.shift() : undefined;
      if (item) return this.#start(item, name, host, true);
    }
    return undefined;
  }

  /** Call it when a delivery that `next` returned has ended. @param hasArrived undefined if it was not sent */
  end({ key, url, host: name }: Of, hasArrived: boolean | undefined): void {
    if (hasArrived === true) {
      this.#failing.delete(url);
      this.#failingHosts.delete(name);
      remember(url, this.#arrived);
    }
    if (hasArrived === false) {
      this.#arrived.delete(url);
      remember(url, this.#failing);
      remember(name, this.#failingHosts);
    }
    if (this.#running.get(key)) this.#runningFailing--;
    this.#running.delete(key);
    this.#known.delete(key);
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    host.running--;
    if (host.running === 0 && host.fresh.length + host.failing.length === 0) this.#hosts.delete(name);
  }

  #nextFresh({ fresh, failing }: Host<Of>): Of | undefined {
    for (let item = fresh.shift(); item; item = fresh.shift()) {
      if (!this.#isFailing(item)) return item;
      failing.push(item);
    }
    return undefined;
  }

  #isFailing({ url, host }: Of): boolean {
    return this.#failing.has(url) || (this.#failingHosts.has(host) && !this.#arrived.has(url));
  }

  #start(item: Of, name: string, host: Host<Of>, hasFailed: boolean): Of {
    host.running++;
    this.#running.set(item.key, hasFailed);
    if (hasFailed) this.#runningFailing++;
    // Move the host to the end, so that the next turn is another's.
    this.#hosts.delete(name);
    this.#hosts.set(name, host);
    return item;
  }
}

function remember(name: string, names: Set<string>): void {
  names.add(name);
  dropOldest(names, MAX_REMEMBERED);
}
