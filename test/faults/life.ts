/**
 * A runner that can be killed. All that a call does to the world goes through {@link Life.step}: its requests to the
 * object, to KV, its tool's effect; its answer is raced with {@link Life.ended}. From the kill on each step hangs, and the
 * answer is a dropped connection. What its code does between two steps reaches nobody, so that this is as good as a
 * process that ended there; what it had sent out before arrives, as it does from a process that ends.
 */

/** `refuse`: does not arrive. `lose`: arrives, and the answer does not. `held`: does not arrive until it is released. */
export type Fault = "ok" | "refuse" | "lose" | "held";
export type StepName = "claim" | "settle" | "release" | "forsake" | "get" | "put" | "effect";

/** What befalls one call: when it dies, and what goes wrong in each of its steps, in turn. */
export interface Fate {
  readonly die?: `${"before" | "during" | "after"} ${StepName}`;
  readonly faults?: { readonly [Name in StepName]?: readonly Fault[] };
  /** What its held steps wait for: a name that World is told to release. */
  readonly hold?: string;
  /** Its writes to KV arrive, whatever the weather. */
  readonly sure?: boolean;
}

export class Life {
  readonly ended: Promise<void>;
  readonly counts: Record<string, number> = {};
  /** When its lease is over, once it has one. */
  until = Number.POSITIVE_INFINITY;
  /** Whether it did something after that: then it was given up, as it should be, and another may have run. */
  isLate = false;
  #end: () => void = () => {};
  #dead = false;
  readonly #fate: Fate;
  readonly #faults: Map<string, Fault[]>;

  readonly #send: (request: Promise<unknown>) => void;
  readonly #released: (name: string) => Promise<void>;

  /**
   * @param send     sees to it that a request which is under way arrives, though nobody waits for it any more
   * @param released resolves when what is held under a name may go on
   */
  constructor(fate: Fate, send: (request: Promise<unknown>) => void, released: (name: string) => Promise<void>) {
    this.#fate = fate;
    this.#send = send;
    this.#released = released;
    this.#faults = new Map(Object.entries(fate.faults ?? {}).map(([name, faults]) => [name, [...faults]]));
    this.ended = new Promise((end) => {
      this.#end = end;
    });
  }

  get diedAt(): string | undefined {
    return this.#dead ? this.#fate.die : undefined;
  }

  async step<Result>(name: StepName, action: () => Promise<Result>): Promise<Result> {
    if (this.#dies(`before ${name}`)) return new Promise(() => {});
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    const fault = this.#faults.get(name)?.shift();
    if (fault === "refuse") throw new Error(`${name} did not arrive`);
    if (fault === "held") await this.#released(this.#fate.hold ?? "");
    if (this.#dead) return new Promise(() => {});
    const doing = action();
    if (this.#dies(`during ${name}`)) {
      this.#send(doing.catch(() => {}));
      return new Promise(() => {});
    }
    const result = await doing.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (Date.now() > this.until) this.isLate = true;
    if (this.#dies(`after ${name}`)) return new Promise(() => {});
    if ("error" in result) throw result.error;
    if (fault === "lose") throw new Error(`The answer to ${name} was lost`);
    return result.value;
  }

  #dies(at: string): boolean {
    if (this.#fate.die === at) {
      this.#dead = true;
      this.#end();
    }
    return this.#dead;
  }
}
