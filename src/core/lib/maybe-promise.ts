/** Handles values that may be promises. Most steps of a call are synchronous, and need no promise. */

export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Whether a value has to be awaited. `await` allocates a promise even for a plain value, so code that runs in every
 * call awaits only promises: `isPromise(value) ? await value : value`.
 */
export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return value instanceof Promise;
}

/** Whether a value has a `then` method. Some libraries and other Workers return thenables that are not Promises. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (value instanceof Promise) return true;
  const mayHaveThen = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayHaveThen && "then" in value && typeof value.then === "function";
}

/** Runs a step. If it throws or rejects, returns the result of `recover`. */
export function attempt<Value>(
  step: () => MaybePromise<Value>,
  recover: (error: unknown) => Value,
): MaybePromise<Value> {
  try {
    const value = step();
    return isPromise(value) ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/** Enough for code that is declared async but waits for nothing. */
const TURNS = 16;

/**
 * Whether a promise settles within a few turns of the microtask queue, before any time passes. Timers, abort signals
 * and streams cost more than a short call, so callers set them up only if this resolves with false.
 */
export async function settlesAtOnce(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < TURNS && !isSettled; turn++) await undefined;
  return isSettled;
}
