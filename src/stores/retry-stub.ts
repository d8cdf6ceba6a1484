/**
 * Asks a Durable Object twice if it does not answer, because an object is restarted now and then (Durable Objects, Error
 * handling).
 *
 * @param stub   makes a new one each time, because one that has failed may be permanently broken
 * @param isHopeless whether asking again would not help
 */
export async function retryStub<Stub, Answer>(
  stub: () => Stub,
  work: (stub: Stub) => Promise<Answer>,
  isHopeless = ({ overloaded }: Failure) => overloaded,
): Promise<Answer> {
  try {
    return await work(stub());
  } catch (error) {
    if (isHopeless((error ?? {}) as Failure)) throw error;
    return work(stub());
  }
}

/** What the runtime says of an error. `remote`: it was thrown by the object's own code. */
interface Failure {
  readonly overloaded?: boolean;
  readonly remote?: boolean;
}
