/** A mistake in an author's file: where it is, what is wrong, and how to fix it. */
import { article } from "../lib/article.ts";
import { closest } from "../lib/spelling.ts";

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
  /** The member of the definition that it is about. If `line` is missing, the line of this member is found later. */
  readonly member?: string;
}

/** @param file as in {@link Problem}, without a line */
export function problemIn(file: string, { problem, fix, line }: Complaint): Problem {
  return { file: line === undefined ? file : `${file}:${line}`, problem, fix };
}

/**
 * @param kind what has no such members: `tool`
 * @returns a complaint for each, whose fix suggests a name if one is similar
 */
export function unknownMembers(kind: string, definition: object, known: readonly string[]): Complaint[] {
  const unknown = Object.keys(definition).filter((member) => !known.includes(member));
  return unknown.map((member) => {
    const meant = closest(member, known);
    const suggestion = meant === undefined ? "" : `write ${meant}, or `;
    const fix = `${suggestion}remove it, or write one of ${known.join(", ")}`;
    return { problem: `${article(kind)} ${kind} has no member "${member}"`, fix, member };
  });
}

export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join("\n");
}

/** Formats a problem in three lines, or in more if the fix has lines to copy. */
export function formatProblem({ file, problem, fix }: Problem): string {
  return `${shown(file)}\n  problem: ${shown(problem)}\n  fix:     ${shown(fix).replaceAll("\n", "\n           ")}`;
}

export function formatPrinted(file: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  return `${shown(file)} prints while it is loaded:\n${lines.map((line) => `  ${shown(line)}`).join("\n")}`;
}

/** Makes every character visible in a terminal, because a text may contain the names of files. */
function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (unseen) =>
    /[\n\t]/.test(unseen) ? unseen : `\\u{${unseen.codePointAt(0)?.toString(16)}}`,
  );
}
