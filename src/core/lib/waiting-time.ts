/** Measures the time during which at least one wait is going on. Overlapping waits count once. */
export class WaitingTime {
  readonly #now: () => number;
  /** How many waits are going on. */
  #waiting = 0;
  /** When the first of these began. */
  #since = 0;
  /** Total of earlier waits. */
  #before = 0;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Total in milliseconds, including the time so far of a wait that is going on. */
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
