/** Makes a value when it is first asked for, such as one that only a request may make. */

/** @param make called at most once */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
