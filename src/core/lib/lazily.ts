/** Makes a value on first use. Some values, for example, may only be made within a request. */

/** @param make called at most once */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
