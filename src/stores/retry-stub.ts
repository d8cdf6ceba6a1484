/** How to ask again. */
export interface Retry {
  /** Attempts in all. */
  readonly tries: number;
  /** Milliseconds before the second attempt; twice as many before each further one. */
  readonly waitMs: number;
  /** Whether asking again would not help. Default: never. */
  readonly isHopeless?: (failure: Failure) => unknown;
}

/** What the runtime says of an error. `remote`: it was thrown by the object's own code. */
interface Failure {
  readonly overloaded?: boolean;
  readonly remote?: boolean;
}

/** An object is restarted now and then (Durable Objects, Error handling). */
const AT_ONCE: Retry = { tries: 2, waitMs: 0, isHopeless: ({ overloaded }) => overloaded };

/**
 * Asks a Durable Object again if it does not answer. The work must be safe to repeat.
 *
 * @param stub makes a new one each time, because one that has failed may be permanently broken
 */
export async function retryStub<Stub, Answer>(
  stub: () => Stub,
  work: (stub: Stub) => Promise<Answer>,
  { tries, waitMs, isHopeless }: Retry = AT_ONCE,
): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    try {
      return await work(stub());
    } catch (error) {
      if (tried === tries || isHopeless?.((error ?? {}) as Failure)) throw error;
      if (waitMs > 0) await new Promise((resume) => setTimeout(resume, waitMs * 2 ** (tried - 1)));
    }
  }
}
