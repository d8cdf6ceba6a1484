/**
 * What may have to be waited for. A call that waits for nothing makes no promise on its way: each costs an allocation
 * and a turn of the queue, and a call would make some ten.
 */

/** A value, or a promise of it. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on with a value: at once, where it is there already. Throws what `next` throws, or rejects with it. */
export function after<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Makes a value and goes on with it; or with what making it threw or rejected with. */
export function attempt<Value, Next>(
  make: () => Soon<Value>,
  next: (value: Value) => Soon<Next>,
  failed: (error: unknown) => Soon<Next>,
): Soon<Next> {
  let made: Soon<Value>;
  try {
    made = make();
  } catch (error) {
    return failed(error);
  }
  return made instanceof Promise ? made.then(next, failed) : next(made);
}

/** What another Worker's method returns is a thenable and no Promise. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (value instanceof Promise) return true;
  const may = (typeof value === "object" && value !== null) || typeof value === "function";
  return may && "then" in value && typeof value.then === "function";
}
