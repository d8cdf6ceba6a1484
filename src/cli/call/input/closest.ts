/** Finds what a misspelled name may mean. Pure. */

/** @returns names that are alike, the likeliest first: three at most */
export function closest(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const scored = names.map((candidate) => {
    const known = candidate.toLowerCase();
    const isPart = wanted.length >= 3 && (known.includes(wanted) || wanted.includes(known));
    return { candidate, score: isPart ? 1 : distance(wanted, known) };
  });
  return scored
    .filter(({ score }) => score < wanted.length && score <= Math.max(2, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** How many letters have to be added, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
