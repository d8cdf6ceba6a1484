/** Lets at most so many pieces of work go on at a time, within an isolate. */
export class ConcurrencyLimit {
  readonly #limits: Limits;
  readonly #taken = new Set<Turn>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Takes a turn.
   *
   * @param size of the work, in the unit of the limits
   * @returns a function that ends it; undefined if there is no room
   */
  begin(holder: string, size = 1): (() => void) | undefined {
    const turn = this.#begin(holder, size);
    return turn && (() => void this.#taken.delete(turn));
  }

  /** Takes a turn that lasts as long as its request, even if that is longer than `forMs`. Otherwise like `begin`. */
  hold(holder: string, size = 1): (() => void) | undefined {
    const turn = this.#begin(holder, size);
    if (turn === undefined) return undefined;
    const { forMs } = this.#limits;
    // The timers of a request that was cut short stop with it.
    const renewing = setInterval(() => {
      turn.until = Date.now() + forMs;
      this.#taken.add(turn);
    }, forMs / 3);
    return () => {
      clearInterval(renewing);
      this.#taken.delete(turn);
    };
  }

  /** Does the work as soon as there is room for it. Rejects with the signal's reason if it is aborted before. */
  async take<Result>(holder: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const end = await this.wait(() => this.begin(holder), signal);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Waits for a turn. Rejects with the signal's reason if it is aborted before. @param begin takes the turn */
  async wait(begin: () => (() => void) | undefined, signal: AbortSignal): Promise<() => void> {
    // Looks again and again: a request of Workers cannot wait for what another one does.
    for (;;) {
      signal.throwIfAborted();
      const end = begin();
      if (end) return end;
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    }
  }

  #begin(holder: string, size: number): Turn | undefined {
    const { most, each, forMs } = this.#limits;
    const now = Date.now();
    let [all, own] = [size, size];
    for (const turn of this.#taken) {
      // A request whose client has gone may be cut short, so that its turn is never ended.
      if (turn.until <= now) this.#taken.delete(turn);
      else {
        all += turn.size;
        if (turn.holder === holder) own += turn.size;
      }
    }
    if (all > most || own > each) return undefined;
    const turn = { holder, size, until: now + forMs };
    this.#taken.add(turn);
    return turn;
  }
}

interface Turn {
  readonly holder: string;
  readonly size: number;
  until: number;
}

interface Limits {
  readonly most: number;
  /** Of one holder: so none can keep the others waiting. */
  readonly each: number;
  /** How long a piece of work goes on at most, in milliseconds. */
  readonly forMs: number;
}

const LOOK_MS = 100;
