/** Runs npm scripts in this process, by their `main`. */
import type { Io } from "../../../src/cli/lib/io.ts";
import type { Fork } from "./fork.ts";

export interface Exited {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
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
  const printed = { stdout: "", stderr: "" };
  const printTo = (stream: keyof typeof printed) => (text: string) => {
    printed[stream] += `${text}\n`;
  };
  const console = { log: printTo("stdout"), error: printTo("stderr") };
  const node = (words: readonly string[]) => {
    throw new Error(`this script may run no other: ${words.join(" ")}`);
  };
  const code = await main(args, { root, cwd: root, env: {}, console, ask: undefined, node, ...world });
  return { code, ...printed };
}
