/** A mistake that a tool's author can make: which file, what is wrong, what to do about it. */

export interface Problem {
  /** Relative to the parent of the folder of tools: `tools/calculator/add.ts`. */
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

/** A problem of a file that is known from where it is said. */
export type Complaint = Omit<Problem, "file">;

export function inWords(problems: readonly Problem[]): string {
  return problems.map(({ file, problem, fix }) => `${file}\n  problem: ${problem}\n  fix:     ${fix}`).join("\n");
}
