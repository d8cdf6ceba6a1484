/**
 * Keeps optimized code alive. V8 drops what it made of a function when a major collection, which comes every few thousand
 * calls, finds no object alive of a shape that the function was optimized for: and between two calls there is none of
 * those that a call is made of. Each collection threw some eighty functions away, and a call took a twelfth more CPU.
 */
const SAMPLES: object[] = [];

/**
 * @param sample made as the objects are that calls make, by the same class or with the same names in the same order; of no
 *               caller's, as it lives as long as the isolate
 */
export function keepMap(sample: object): void {
  SAMPLES.push(sample);
}
