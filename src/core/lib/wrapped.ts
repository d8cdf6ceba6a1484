/**
 * Lets each of several features wrap a function, or change a value. The first feature is outermost.
 *
 * @param all     the features
 * @param wrapper returns the wrapper of one feature; undefined if it has none
 */
export function wrapped<Step, One>(
  plain: Step,
  all: readonly One[],
  wrapper: (one: One) => ((next: Step) => Step) | undefined,
): Step {
  return all.reduceRight((next, one) => wrapper(one)?.(next) ?? next, plain);
}
