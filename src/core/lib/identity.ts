/** Returns its argument: the plain form of `equip` in `#parts`, for a fork whose features add nothing to the runtime. */
export function identity<Value>(value: Value): Value {
  return value;
}
