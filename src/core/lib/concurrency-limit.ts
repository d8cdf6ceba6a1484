/** Lets at most so many pieces of work go on at a time, within an isolate. */
export class ConcurrencyLimit {
  readonly #limits: Limits;
  readonly #taken = new Set<{ readonly holder: string; until: number }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Takes a turn. @returns undefined if there is no room */
  begin(holder: string): Turn | undefined {
    const { most, each, forMs } = this.#limits;
    const now = Date.now();
    let own = 0;
    for (const turn of this.#taken) {
      // A request whose client has gone may be cut short, so that its turn is never ended.
      if (turn.until <= now) this.#taken.delete(turn);
      else if (turn.holder === holder) own++;
    }
    if (this.#taken.size >= most || own >= each) return undefined;
    const turn = { holder, until: now + forMs };
    this.#taken.add(turn);
    return {
      renew: () => {
        turn.until = Date.now() + forMs;
        this.#taken.add(turn);
      },
      end: () => void this.#taken.delete(turn),
    };
  }

  /** Does the work as soon as there is room for it. Rejects with the signal's reason if it is aborted before. */
  async take<Result>(holder: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    let turn = this.begin(holder);
    // Looks again and again: a request of Workers cannot wait for what another one does.
    for (; turn === undefined; turn = this.begin(holder)) {
      signal.throwIfAborted();
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    }
    try {
      // It may have been aborted during the last look: then nothing would end the work.
      signal.throwIfAborted();
      return await work();
    } finally {
      turn.end();
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
