/**
 * What may have to be waited for. A call that waits for nothing makes no promise on its way: each costs an allocation
 * and a turn of the queue, and a call would make some ten.
 */

/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Goes on with a value: at once, where it is there already. Throws what `next` throws, or rejects with it.
 *
 * @param next is given what else it needs, and captures nothing where that can be: a function that writes a closure down
 *             keeps its variables for it at every call, also where none is made
 */
export function andThen<Value, Next>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next>;
export function andThen<Value, Next, A>(
  value: MaybePromise<Value>,
  next: (value: Value, a: A) => MaybePromise<Next>,
  a: A,
): MaybePromise<Next>;
export function andThen<Value, Next, A, B>(
  value: MaybePromise<Value>,
  next: (value: Value, a: A, b: B) => MaybePromise<Next>,
  a: A,
  b: B,
): MaybePromise<Next>;
export function andThen<Value, Next, A, B, C>(
  value: MaybePromise<Value>,
  next: (value: Value, a: A, b: B, c: C) => MaybePromise<Next>,
  a: A,
  b: B,
  c: C,
): MaybePromise<Next>;
export function andThen<Value, Next, A, B, C>(
  value: MaybePromise<Value>,
  next: (value: Value, a: A, b: B, c: C) => MaybePromise<Next>,
  a?: A,
  b?: B,
  c?: C,
): MaybePromise<Next> {
  return value instanceof Promise ? later(value, next, a, b, c) : next(value, a as A, b as B, c as C);
}

function later<Value, Next, A, B, C>(
  value: Promise<Value>,
  next: (value: Value, a: A, b: B, c: C) => MaybePromise<Next>,
  a?: A,
  b?: B,
  c?: C,
): Promise<Next> {
  return value.then((made) => next(made, a as A, b as B, c as C));
}

/** What another Worker's method returns is a thenable and no Promise. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (value instanceof Promise) return true;
  const may = (typeof value === "object" && value !== null) || typeof value === "function";
  return may && "then" in value && typeof value.then === "function";
}
