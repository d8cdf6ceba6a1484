/** A mistake that a tool's author can make: which file, what is wrong, what to do about it. */

export interface Problem {
  /** Relative to the folder of tools' parent: `tools/calculator/add.ts`. */
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

export function inWords(problems: readonly Problem[]): string {
  return problems.map(({ file, problem, fix }) => `${file}\n  problem: ${problem}\n  fix:     ${fix}`).join("\n");
}
