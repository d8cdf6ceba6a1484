/** What a feature that a fork does not use does to a value: nothing. Bundlers leave out the call. */
export function same<Value>(value: Value): Value {
  return value;
}
