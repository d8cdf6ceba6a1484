/** Runs `npm run call` as a person or a script would: as a process. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildProcess, spawn } from "./processes.ts";

export interface Called {
  /** 128 and more for a signal, as in a shell. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Calling {
  readonly env?: Readonly<Record<string, string>>;
  /** What is written to stdin. */
  readonly input?: string;
  /** Called once it runs. */
  readonly started?: (child: ChildProcess) => void;
  /** Called with everything on stderr so far, whenever there is more. */
  readonly heard?: (stderr: string, child: ChildProcess) => void;
}

/** Runs the script of a project, without the tester's own variables for it. */
export function runCall(
  root: string,
  args: readonly string[],
  { env, input, started, heard }: Calling = {},
): Promise<Called> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD|TRIVET_)/i.test(name));
  const child = spawn(process.execPath, [join(root, "src/cli/call/cli.ts"), ...args], {
    cwd: root,
    env: { ...Object.fromEntries(own), TMPDIR: tmpdir(), ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    heard?.(stderr, child);
  });
  started?.(child);
  child.stdin.end(input ?? "");
  return new Promise((ended) => child.on("close", (code) => ended({ code: code ?? 128, stdout, stderr })));
}
