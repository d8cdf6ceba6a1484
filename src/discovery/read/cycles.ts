/**
 * Finds files of tools/ that import each other in a cycle: the first to load uses an export that does not exist yet.
 */
import type { Complaint, Problem } from "./problem.ts";

/** What each file imports when it loads, by path. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/**
 * @param imports paths as messages name them: `tools/kit/add.ts`
 * @param primitives  the files that offer something. A cycle of helpers alone may do no harm
 * @returns a problem for each file that is the first of a cycle, by the order of the primitives
 */
export function importCycles(imports: Imports, primitives: readonly string[]): Problem[] {
  const blamed = new Set<string>();
  return primitives.flatMap((file) => {
    const cycle = blamed.has(file) ? undefined : shortestCycle(file, imports);
    if (cycle === undefined) return [];
    for (const member of cycle) blamed.add(member);
    return {
      file,
      problem: `it imports itself in a cycle: ${[...cycle, file].join(" → ")}`,
      fix: FIX,
    };
  });
}

const FIX = 'move what they share to a helper, such as _shared.ts, that imports none of them (or write "import type")';

/**
 * Names a cycle of helpers as the cause of an exception while a file loads, which used an export before it existed.
 *
 * @param thrownIn the files of the exception's stack, as messages name them
 */
export function withCycle(complaint: Complaint, thrownIn: readonly string[], imports: Imports): Complaint {
  const [cycle] = thrownIn.flatMap((file) => {
    const members = shortestCycle(file, imports);
    return members ? [[...members, file]] : [];
  });
  if (cycle === undefined) return complaint;
  return { ...complaint, problem: `${complaint.problem}, in a cycle of imports: ${cycle.join(" → ")}`, fix: FIX };
}

/** @returns the files on the shortest way from the file back to itself, beginning with the file */
function shortestCycle(file: string, imports: Imports): string[] | undefined {
  const reached = new Map<string, string | undefined>([[file, undefined]]);
  // The iterator also visits members that are added during the loop.
  for (const one of reached.keys()) {
    for (const next of imports.get(one) ?? []) {
      if (next === file) return wayTo(one, reached);
      if (!reached.has(next)) reached.set(next, one);
    }
  }
  return undefined;
}

/** @param reached for each file, the one that it was reached from first */
function wayTo(file: string, reached: ReadonlyMap<string, string | undefined>): string[] {
  const before = reached.get(file);
  return before === undefined ? [file] : [...wayTo(before, reached), file];
}
