/** Lets at most so many pieces of work go on at a time, within an isolate. */
export class ConcurrencyLimit {
  readonly #limits: Limits;
  readonly #taken = new Set<{ readonly holder: string; readonly size: number; until: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Takes a turn. @param size of the work, in the unit of the limits @returns undefined if there is no room */
  begin(holder: string, size = 1): Turn | undefined {
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
    return {
      renew: () => {
        turn.until = Date.now() + forMs;
        this.#taken.add(turn);
      },
      end: () => void this.#taken.delete(turn),
    };
  }

  /** Takes a turn that lasts as long as its request, however long that is. @returns a function that ends it, or undefined */
  hold(holder: string, size = 1): (() => void) | undefined {
    const turn = this.begin(holder, size);
    if (turn === undefined) return undefined;
    // The timers of a request that was cut short stop with it.
    const renewing = setInterval(turn.renew, this.#limits.forMs / 3);
    return () => {
      clearInterval(renewing);
      turn.end();
    };
  }

  /** Does the work as soon as there is room for it. Rejects with the signal's reason if it is aborted before. */
  async take<Result>(holder: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const turn = await this.wait(() => this.begin(holder), signal);
    try {
      return await work();
    } finally {
      turn.end();
    }
  }

  /** Waits for a turn. Rejects with the signal's reason if it is aborted before. @param begin takes the turn */
  async wait<Taken>(begin: () => Taken | undefined, signal: AbortSignal): Promise<Taken> {
    // Looks again and again: a request of Workers cannot wait for what another one does.
    for (;;) {
      // Also after the last look: then nothing would end the work.
      signal.throwIfAborted();
      const taken = begin();
      if (taken !== undefined) return taken;
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    }
  }
}

export interface Turn {
  /** Has it last for as long again, from now on. */
  renew(): void;
  end(): void;
}

interface Limits {
  readonly most: number;
  /** Of one holder: so none can keep the others waiting. */
  readonly each: number;
  /** How long a piece of work goes on at most without renewing its turn, in milliseconds. */
  readonly forMs: number;
}

const LOOK_MS = 100;
