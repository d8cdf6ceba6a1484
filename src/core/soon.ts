/**
 * What may have to be waited for. A call that waits for nothing makes no promise on its way: each costs an allocation
 * and a turn of the queue, and a call would make some ten.
 */

/** A value, or a promise of it. */
export type Soon<Value> = Value | Promise<Value>;

/**
 * Goes on with a value: at once, where it is there already. Throws what `next` throws, or rejects with it.
 *
 * @param next is given what else it needs, and captures nothing where that can be: a function that writes a closure down
 *             keeps its variables for it at every call, also where none is made
 */
export function after<Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next>;
export function after<Value, Next, A>(value: Soon<Value>, next: (value: Value, a: A) => Soon<Next>, a: A): Soon<Next>;
export function after<Value, Next, A, B>(
  value: Soon<Value>,
  next: (value: Value, a: A, b: B) => Soon<Next>,
  a: A,
  b: B,
): Soon<Next>;
export function after<Value, Next, A, B, C>(
  value: Soon<Value>,
  next: (value: Value, a: A, b: B, c: C) => Soon<Next>,
  a: A,
  b: B,
  c: C,
): Soon<Next>;
export function after<Value, Next, A, B, C>(
  value: Soon<Value>,
  next: (value: Value, a: A, b: B, c: C) => Soon<Next>,
  a?: A,
  b?: B,
  c?: C,
): Soon<Next> {
  return value instanceof Promise ? later(value, next, a, b, c) : next(value, a as A, b as B, c as C);
}

function later<Value, Next, A, B, C>(
  value: Promise<Value>,
  next: (value: Value, a: A, b: B, c: C) => Soon<Next>,
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
