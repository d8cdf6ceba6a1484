/** Lets at most so many pieces of work go on at a time. */
export class Turns {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Does the work as soon as there is room for it. Rejects with the signal's reason if it is aborted before. */
  async take<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    // Looks again and again: a request of Workers cannot wait for what another one does.
    while (this.#taken >= this.#most) {
      signal.throwIfAborted();
      await new Promise((resume) => setTimeout(resume, LOOK_MS));
    }
    this.#taken++;
    try {
      return await work();
    } finally {
      this.#taken--;
    }
  }
}

const LOOK_MS = 100;
