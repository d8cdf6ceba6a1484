/**
 * Decides which delivery is sent next. A Worker has six connections at a time, and a receiver that stalls holds one for
 * as long as an attempt may take. So no host gets more than two. URLs whose last attempt failed or was slow share two,
 * and come after all others that can be sent. A host with such a URL is *troubled* for ten minutes: the other URLs of
 * all troubled hosts share two more, because a caller may give each message a URL of its own, and a host may answer at
 * some of them and stall at others.
 */
import { dropOldest } from "../../../core/lib/drop-oldest.ts";

/** Connections that an invocation of a Worker can have open (Workers, Limits). */
const CONNECTIONS = 6;
const PER_HOST = 2;
const FOR_FAILING = 2;
const FOR_TROUBLED = 2;
/** How long a host is troubled after an attempt that failed or was slow, in milliseconds. */
const TROUBLED_MS = 600_000;
/**
 * URLs, subscriptions or hosts that an object remembers: a caller can have any number of them. A restart forgets them
 * all, so it is safe to forget the oldest.
 */
export const MAX_REMEMBERED = 10_000;

export interface Item {
  readonly key: string;
  readonly url: string;
  readonly host: string;
}

interface Host<Of> {
  /** What waits for URLs that are failing. */
  failing: Of[];
  /** What waits for other URLs. */
  healthy: Of[];
  running: number;
}

/** Times are in milliseconds since 1970. */
export class SendQueue<Of extends Item> {
  readonly #hosts = new Map<string, Host<Of>>();
  /** URLs whose last attempt failed or was slow. */
  readonly #failing = new Set<string>();
  /** When an attempt at a host last failed or was slow. */
  readonly #troubledAt = new Map<string, number>();
  /** Keys of the deliveries that wait or are under way. */
  readonly #known = new Set<string>();
  /** The deliveries under way, by key: the host, and whether the URL was failing at the start. */
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
    const host = this.#hosts.get(item.host) ?? { healthy: [], failing: [], running: 0 };
    this.#hosts.set(item.host, host);
    (this.#failing.has(item.url) ? host.failing : host.healthy).push(item);
    return true;
  }

  /** Takes the next delivery to send; undefined if none waits, or all have to wait for a connection. */
  next(now: number): Of | undefined {
    if (this.#running.size >= CONNECTIONS) return undefined;
    const isTroubled = (host: string) => (this.#troubledAt.get(host) ?? -Infinity) > now - TROUBLED_MS;
    const running = [...this.#running.values()];
    const failingCount = running.filter(({ toFailing }) => toFailing).length;
    const troubledCount = running.filter(({ toFailing, host }) => !toFailing && isTroubled(host)).length;
    for (const [name, host] of this.#hosts) {
      if (host.running >= PER_HOST || (troubledCount >= FOR_TROUBLED && isTroubled(name))) continue;
      const item = host.healthy.shift();
      if (item) return this.#start(item, name, host, false);
    }
    if (failingCount >= FOR_FAILING) return undefined;
    for (const [name, host] of this.#hosts) {
      const item = host.running < PER_HOST ? host.failing.shift() : undefined;
      if (item) return this.#start(item, name, host, true);
    }
    return undefined;
  }

  /**
   * Call it when a delivery that `next` returned has ended.
   *
   * @param wasGood false if the attempt failed or was slow; undefined if there was none
   */
  end({ key, url, host: name }: Of, wasGood: boolean | undefined, now: number): void {
    this.#running.delete(key);
    this.#known.delete(key);
    const host = this.#hosts.get(name);
    if (host === undefined) return;
    host.running--;
    if (wasGood === false) {
      if (!this.#failing.delete(url)) {
        const [moved, left] = split(host.healthy, url);
        host.healthy = left;
        host.failing.push(...moved);
      }
      this.#failing.add(url);
      dropOldest(this.#failing, MAX_REMEMBERED);
      this.#troubledAt.delete(name);
      this.#troubledAt.set(name, now);
      dropOldest(this.#troubledAt, MAX_REMEMBERED);
    }
    if (wasGood && this.#failing.delete(url)) {
      const [moved, left] = split(host.failing, url);
      host.failing = left;
      host.healthy = [...moved, ...host.healthy];
    }
    if (host.running === 0 && host.healthy.length + host.failing.length === 0) this.#hosts.delete(name);
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

/** Splits deliveries into those to a URL and the others. */
function split<Of extends Item>(items: readonly Of[], url: string): [toIt: Of[], others: Of[]] {
  const { toIt = [], others = [] } = Object.groupBy(items, (item) => (item.url === url ? "toIt" : "others"));
  return [toIt, others];
}
