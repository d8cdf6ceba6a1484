/** Runs scripts: in this process, by their `main`, or as processes of their own. */
import { join } from "node:path";
import type { Io } from "../../../src/cli/lib/io.ts";
import type { Fork } from "./fork.ts";
import { execFile } from "./processes.ts";

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

/** Runs a program in the fork's folder, to its end. */
export function runProgram(
  { root }: Pick<Fork, "root">,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Exited> {
  return new Promise((exited) => {
    execFile(command, args, { cwd: root, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      exited({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** This process's environment without the tester's Cloudflare login and npm settings; the fork's folder is its home. */
export function environmentOf({ root }: Pick<Fork, "root">): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_config_|CLOUDFLARE_|CF_|WRANGLER_)/i.test(name));
  return { ...Object.fromEntries(own), HOME: root, XDG_CONFIG_HOME: join(root, "config") };
}
