/** A mistake that a tool's author can make: which file, what is wrong, what to do about it. */

export interface Problem {
  /** Relative to the parent of the folder of tools, with the line where that is known: `tools/worker.ts:12`. */
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

/** A problem of a file that is known from where it is said. */
export interface Complaint extends Omit<Problem, "file"> {
  /** From 1. */
  readonly line?: number | undefined;
}

export function problemIn(file: string, { line, ...complaint }: Complaint): Problem {
  return { file: line === undefined ? file : `${file}:${line}`, ...complaint };
}

export function inWords(problems: readonly Problem[]): string {
  return problems.map(({ file, problem, fix }) => `${file}\n  problem: ${problem}\n  fix:     ${fix}`).join("\n");
}
