/**
 * Runs the transcripts of the documentation (`console` blocks) as a person would, in a terminal: each line that begins
 * with `$ ` is a command, and what it prints must be what follows. Answers to questions are typed as they are written.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn, spawnSync } from "../support/node/processes.ts";
import { type Block, ROOT } from "./blocks.ts";

/** Of util-linux: runs a command in a pseudo-terminal. BSD's program of this name has other options. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

/** With UPDATE_TRANSCRIPTS=1 in the environment, what is printed is written to the page. */
export const updates = process.env.UPDATE_TRANSCRIPTS === "1";

export interface Step {
  readonly command: string;
  readonly printed: string;
}

export function stepsOf(text: string): Step[] {
  return text.split(/^\$ /m).flatMap((part) => {
    const [command = "", ...lines] = part.split("\n");
    return command === "" ? [] : [{ command, printed: lines.join("\n").trim() }];
  });
}

/** A question at the end of what was printed, such as `size (one): `. */
const PROMPT = /\): $/;
/** The same with the answer behind it. */
const ANSWERED = /^.*\): (.+)$/gm;

/** Runs a command in a terminal, and answers its questions. @returns what the person sees in the end */
export function runInTerminal({ command, printed }: Step, folder: string): Promise<string> {
  const answers = [...printed.matchAll(ANSWERED)].map(([, answer = ""]) => answer);
  // -E never: the terminal itself shows what is typed.
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, COLUMNS: "120", TERM: "xterm" },
  });
  let seen = "";
  let asked = 0;
  child.stdout.on("data", (chunk) => {
    seen += chunk;
    const questions = stripVTControlCharacters(seen).split("\n").at(-1) ?? "";
    if (PROMPT.test(questions) && seen.length > asked && answers.length > 0) {
      asked = seen.length;
      child.stdin.write(`${answers.shift()}\r`);
    }
  });
  return new Promise((ended, failed) => {
    child.on("error", failed);
    child.on("close", () => ended(asSeen(seen)));
  });
}

/** Without what was erased: a line of progress replaces the one before it. */
function asSeen(printed: string): string {
  const lines = printed.replaceAll("\r\n", "\n").split("\n");
  const kept = lines.map((line) => stripVTControlCharacters(line.split("\u001b[2K").at(-1) ?? "").replaceAll("\r", ""));
  return kept.join("\n").trim();
}

/** Writes a block of a page anew. */
export function rewrite({ page, text }: Block, steps: readonly Step[]): void {
  const path = resolve(ROOT, page);
  const block = steps.map(({ command, printed }) => `$ ${command}\n${printed}${printed === "" ? "" : "\n"}`).join("");
  const fence = "```console\n";
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(`${fence}${text}`, () => `${fence}${block}`),
  );
}
