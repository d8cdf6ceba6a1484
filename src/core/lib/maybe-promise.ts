/** Values that may have to be waited for. Most steps of a call wait for nothing, and need no promise of their own. */

export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Whether a value has to be awaited. `await` makes a promise even of a plain value, so code that every call passes
 * awaits only what is one: `isPromise(value) ? await value : value`.
 */
export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return value instanceof Promise;
}

/** Another Worker's method returns a thenable that is not a Promise; so do some libraries. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (value instanceof Promise) return true;
  const mayHaveThen = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayHaveThen && "then" in value && typeof value.then === "function";
}

/** Runs a step. If it throws or rejects, returns what `recover` makes of the error. */
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

/** Enough for code that is async by habit and waits for nothing. */
const TURNS = 16;

/**
 * Whether a promise settles within a few turns of the microtask queue, in which no time passes. What is only needed
 * while somebody waits (timers, abort signals, streams) costs more than a short call does, so it is set up after this.
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
