/**
 * A runner that can be killed. Everything that a call does outside its own code goes through {@link Life.step}:
 * requests to the object and to KV, and its tool's effect. Its answer is raced with {@link Life.ended}. After the kill
 * every step hangs and the answer is a dropped connection, which to everyone else looks like a process that ended: code
 * between two steps has no effect outside, and requests that were already sent still arrive.
 */

/**
 * `refuse`: the request does not arrive. `lose`: it arrives, but its answer does not. `held`: it waits for a release.
 */
export type Fault = "ok" | "refuse" | "lose" | "held";
export type StepName = "claim" | "settle" | "release" | "forsake" | "get" | "put" | "effect";

/** The fate of one call: when its runner dies, and the faults of each of its steps, in order. */
export interface Fate {
  readonly die?: `${"before" | "during" | "after"} ${StepName}`;
  readonly faults?: { readonly [Name in StepName]?: readonly Fault[] };
  /** The name that its held steps wait for; a test releases it with `World.release`. */
  readonly hold?: string;
  /** Its writes to KV always arrive. */
  readonly sure?: boolean;
}

export class Life {
  readonly ended: Promise<void>;
  readonly counts: Record<string, number> = {};
  /** When its lease ends, if it has one. */
  until = Number.POSITIVE_INFINITY;
  /** Whether it did something after its lease ended. Then it was rightly given up, and another runner may have run. */
  isLate = false;
  #end: () => void = () => {};
  #dead = false;
  readonly #fate: Fate;
  readonly #faults: Map<string, Fault[]>;

  readonly #send: (request: Promise<unknown>) => void;
  readonly #released: (name: string) => Promise<void>;

  /**
   * @param send     keeps a request that is under way alive, though nothing waits for it any more
   * @param released resolves once the steps held under a name may go on
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
