/** What a script needs of the process that it runs in. Tests run many in one process, each with an `Io` of its own. */
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { ROOT } from "./root.ts";

export interface Io {
  /** The folder of the fork. */
  readonly root: string;
  /** The folder that its user is in: paths on the command line start there. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `log` is for results, `error` for errors and warnings. */
  readonly console: Pick<Console, "log" | "error">;
  /** Asks the user, on a terminal; undefined if there is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Runs another script to its end: wrangler, discovery, the formatter. */
  node(args: readonly string[], options: { readonly cwd: string; readonly env?: object }): Ended | Promise<Ended>;
}

export interface Ended {
  /** The exit code; null if it did not start, or a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not start. */
  readonly error?: Error;
}

/** The arguments and the `Io` of a script that this process was started for. */
export function thisProcess(): [argv: readonly string[], io: Io] {
  const { argv, env, stdin, stderr } = process;
  const io: Io = {
    root: ROOT,
    cwd: process.cwd(),
    env,
    console,
    ask: stdin.isTTY && stderr.isTTY ? askOnTerminal : undefined,
    node: (args, { cwd, env: more }) =>
      spawnSync(process.execPath, args, {
        cwd,
        encoding: "utf8",
        maxBuffer: Number.POSITIVE_INFINITY,
        // Without a terminal on stdin, wrangler fails instead of asking questions that no one would see.
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...env, ...more },
      }),
  };
  return [argv.slice(2), io];
}

async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
}
