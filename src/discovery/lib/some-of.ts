/** @returns `A, B, C and 7 more`, or all of the names if there are no more than `max` */
export function someOf(names: readonly string[], max: number): string {
  const more = names.length - max;
  return more > 0 ? `${names.slice(0, max).join(", ")} and ${more} more` : names.join(", ");
}
