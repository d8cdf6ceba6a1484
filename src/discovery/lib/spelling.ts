/** Suggests the name that a misspelled one was meant to be. */

/** Names of this length or more may have two wrong letters, shorter ones only one: `env` is not meant to be `run`. */
const LONG = 6;

/**
 * @param known names; the first of those with the fewest changes is chosen
 * @returns undefined if none is similar
 */
export function closest(name: string, known: readonly string[]): string | undefined {
  const most = name.length >= LONG ? 2 : 1;
  const [best] = known
    .map((candidate) => ({ candidate, changes: changesBetween(name.toLowerCase(), candidate.toLowerCase()) }))
    // If every letter is wrong, it is another name.
    .filter(({ changes }) => changes <= most && changes < name.length)
    .sort((a, b) => a.changes - b.changes);
  return best?.candidate;
}

/** The number of letters to add, remove, replace or swap with the next (optimal string alignment). */
function changesBetween(a: string, b: string): number {
  /** The changes between the first letters of both: `rows[3][2]` for three of `a` and two of `b`. */
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const changes = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = changes(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? changes(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, changes(i - 1, j) + 1, changes(i, j - 1) + 1));
    }
  }
  return changes(a.length, b.length);
}
