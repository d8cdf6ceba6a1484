/** Adds up for how long at least one of several things has been waited for. */
export class WaitingTime {
  readonly #now: () => number;
  /** How many are waited for now. */
  #waiting = 0;
  /** When the first of them began. */
  #since = 0;
  /** Total of earlier waits. */
  #before = 0;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds so far. */
  get ms(): number {
    return this.#before + (this.#waiting > 0 ? this.#now() - this.#since : 0);
  }

  /** Counts the time until `work` has ended. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#waiting++ === 0) this.#since = this.#now();
    try {
      return await work();
    } finally {
      this.#before = this.ms;
      this.#waiting--;
      this.#since = this.#now();
    }
  }
}
