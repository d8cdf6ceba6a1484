/** What the doctor finds, and how it is shown. */
import type { Problem } from "../../build/read/problem.ts";

export interface Finding extends Problem {
  /** An error keeps a deployment from working, or from being safe. A warning may be what its owner wants. */
  readonly level: "error" | "warning";
}

export const error = (problem: Problem): Finding => ({ level: "error", ...problem });
export const warning = (problem: Problem): Finding => ({ level: "warning", ...problem });

/**
 * @param unchecked what could not be checked, and why: sentences
 * @param size      of the upload, in words
 */
export function report(findings: readonly Finding[], unchecked: readonly string[], size: string | undefined): string {
  const levels = ["error", "warning"] as const;
  const blocks = levels.flatMap((level) =>
    findings
      .filter((finding) => finding.level === level)
      .map(({ file, problem, fix }) => `${level}: ${file}\n  problem: ${problem}\n  fix:     ${fix}`),
  );
  const counts = levels.map((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return `${count} ${level}${count === 1 ? "" : "s"}`;
  });
  return [
    ...blocks,
    ...unchecked.map((sentence) => `not checked: ${sentence}`),
    ...(size === undefined ? [] : [`size: ${size}`]),
    counts.join(", "),
  ].join("\n");
}
