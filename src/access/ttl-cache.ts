/** A cache whose entries expire, for lookups and checks. When it is full, the oldest entry is evicted. */
import { dropOldest } from "../core/lib/drop-oldest.ts";

const MAX_ENTRIES = 1_000;

export class TtlCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of entries, including expired ones. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.#now()) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** @param until milliseconds since 1970 */
  set(key: string, value: Value, until: number): void {
    this.#entries.set(key, { value, until });
    dropOldest(this.#entries, MAX_ENTRIES);
  }
}
