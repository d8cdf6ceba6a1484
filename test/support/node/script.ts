/** Runs scripts in this process, by their `main`. */
import type { Io } from "../../../src/cli/lib/io.ts";
import type { Fork } from "./fork.ts";

/** What came of a script, in this process or in one of its own. */
export interface Exited {
  /** 128 and more for a signal, as in a shell. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A console, and what is printed to it. */
export function recordingConsole() {
  const printed = { stdout: "", stderr: "" };
  const printTo = (stream: keyof typeof printed) => (text: string) => {
    printed[stream] += `${text}\n`;
  };
  return { printed, console: { log: printTo("stdout"), warn: printTo("stderr"), error: printTo("stderr") } };
}

/**
 * @param main of a script
 * @param world what is other than by default: its user is in the fork's folder, without variables and a terminal, and
 *              no other script can be run
 */
export async function runMain(
  main: (argv: readonly string[], io: Io) => Promise<number>,
  { root }: Pick<Fork, "root">,
  args: readonly string[],
  world: Partial<Io> = {},
): Promise<Exited> {
  const { printed, console } = recordingConsole();
  const node = (words: readonly string[]) => {
    throw new Error(`this script may run no other: ${words.join(" ")}`);
  };
  const code = await main(args, { root, cwd: root, env: {}, console, ask: undefined, node, ...world });
  return { code, ...printed };
}
