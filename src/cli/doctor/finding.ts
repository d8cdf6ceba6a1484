/** What the doctor finds, and how it is shown. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { formatProblem, type Problem } from "../../discovery/read/problem.ts";
import { isCopy, sourceOf } from "../lib/config.ts";
import { lineOf } from "../lib/lines.ts";

export interface Finding extends Problem {
  /** An error keeps a deployment from working, or from being safe. A warning may be about what the deployment's owner wants. */
  readonly level: "error" | "warning";
}

export const error = (problem: Problem): Finding => ({ level: "error", ...problem });
export const warning = (problem: Problem): Finding => ({ level: "warning", ...problem });

/** The fix for a file of settings. For a copy, its original is corrected, and the copy is made again. */
export function fixIn(config: string, fix: string): string {
  // On a line of its own, if the fix ends with lines that will be pasted.
  const end = fix.includes("\n") ? "\n" : "; ";
  return isCopy(config) ? `in ${sourceOf(config)}, ${fix}${end}then run npm run copy again` : fix;
}

/**
 * Where a finding about a file of tools/ is.
 *
 * @param root the folder of the fork
 * @param path as discovery gives it
 * @param text what the line contains
 * @returns such as `tools/weather/now.ts:12`; without the number if no line contains the text
 */
export function placeIn(root: string, path: string, text: string): string {
  const file = relative(root, path);
  const line = lineOf(readFileSync(join(root, file), "utf8"), new RegExp(RegExp.escape(text)));
  return line === undefined ? file : `${file}:${line}`;
}

/**
 * @param unchecked what could not be checked, and why: sentences
 * @param size      of the upload, in words
 */
export function report(findings: readonly Finding[], unchecked: readonly string[], size: string | undefined): string {
  const levels = ["error", "warning"] as const;
  const blocks = levels.flatMap((level) =>
    findings.filter((finding) => finding.level === level).map((finding) => `${level}: ${formatProblem(finding)}`),
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
