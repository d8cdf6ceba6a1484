/** How often to repeat a request, and after which time. */
export interface Retry {
  readonly tries: number;
  /** Milliseconds before the second attempt; twice as many before each further one. */
  readonly waitMs: number;
  /** Whether another attempt would not help. Default: never. */
  readonly isHopeless?: (failure: Failure) => unknown;
}

/** Properties that the runtime sets on errors. `remote`: the object's own code threw it. */
interface Failure {
  readonly overloaded?: boolean;
  readonly remote?: boolean;
}

/** For objects that were restarted, which happens from time to time (Durable Objects, Error handling). */
const AT_ONCE: Retry = { tries: 2, waitMs: 0, isHopeless: ({ overloaded }) => overloaded };

/**
 * Calls a Durable Object, and again if it fails. The work must be safe to repeat.
 *
 * @param stub returns a new stub each time, because a stub that has failed may be permanently broken
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
