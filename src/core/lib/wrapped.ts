/**
 * Wraps a function, or changes a value, by all that have something to add. The first of them is outermost.
 *
 * @param wrapper what one of them adds, if anything
 */
export function wrapped<Step, One>(
  plain: Step,
  all: readonly One[],
  wrapper: (one: One) => ((next: Step) => Step) | undefined,
): Step {
  return all.reduceRight((next, one) => wrapper(one)?.(next) ?? next, plain);
}
