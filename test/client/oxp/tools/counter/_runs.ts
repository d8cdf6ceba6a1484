/** How often each tool ran, and had its effect, by a name that the caller gives. Module state: one Worker serves all. */
const counts = new Map<string, number>();

export const count = (what: string): number => {
  counts.set(what, countOf(what) + 1);
  return countOf(what);
};

export const countOf = (what: string): number => counts.get(what) ?? 0;
