/** Limits how much work an isolate does at a time, in total and for each holder. */
export class ConcurrencyLimit {
  readonly #limits: Limits;
  readonly #taken = new Set<{ readonly holder: string; readonly size: number; until: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Reserves room for one piece of work.
   *
   * @param size of the work, in the unit of the limits
   * @returns undefined if the limits are reached
   */
  begin(holder: string, size = 1): Turn | undefined {
    const { most, each, forMs } = this.#limits;
    const now = Date.now();
    let [all, own] = [size, size];
    for (const turn of this.#taken) {
      // A request whose client has gone may be cut short, and then nothing ends its turn.
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

  /** Takes a turn that lasts as long as its request. @returns a function that ends it; undefined at the limit */
  hold(holder: string, size = 1): (() => void) | undefined {
    const turn = this.begin(holder, size);
    if (turn === undefined) return undefined;
    // If the request is cut short, its timers stop, so the turn expires.
    const renewing = setInterval(turn.renew, this.#limits.forMs / 3);
    return () => {
      clearInterval(renewing);
      turn.end();
    };
  }

  /** Waits for a turn and does the work. Rejects with the signal's reason if it is aborted before the work starts. */
  async take<Result>(holder: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const turn = await this.wait(() => this.begin(holder), signal);
    try {
      return await work();
    } finally {
      turn.end();
    }
  }

  /** Waits until `begin` can take a turn. Rejects with the signal's reason if it is aborted before that. */
  async wait<Taken>(begin: () => Taken | undefined, signal: AbortSignal): Promise<Taken> {
    // Poll, because in Workers a request cannot wait for a promise of another request.
    for (;;) {
      // Check again after the last wait: a turn that was taken for an aborted request would not be ended.
      signal.throwIfAborted();
      const taken = begin();
      if (taken !== undefined) return taken;
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    }
  }
}

export interface Turn {
  /** Starts the turn's time again from now. */
  renew(): void;
  end(): void;
}

interface Limits {
  readonly most: number;
  /** Most for one holder, so that none can keep the others waiting. */
  readonly each: number;
  /** Milliseconds after which a turn that was not renewed expires. */
  readonly forMs: number;
}

const LOOK_MS = 100;
