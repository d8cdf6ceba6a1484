/** A mistake in a file of an author: which file, what is wrong, and how to fix it. */

export interface Problem {
  /** Relative to the parent of the folder of tools, with the line if it is known: `tools/worker.ts:12`. */
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

/** A problem in a file that the context names. */
export interface Complaint extends Omit<Problem, "file"> {
  /** The first line is 1. */
  readonly line?: number | undefined;
}

export function problemIn(file: string, { line, ...complaint }: Complaint): Problem {
  return { file: line === undefined ? file : `${file}:${line}`, ...complaint };
}

/** Formats problems for the terminal: three lines each. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ file, problem, fix }) => `${file}\n  problem: ${problem}\n  fix:     ${fix}`).join("\n");
}
