/** Runs `npm run call`, in this process or as a person or a script would: in one of its own. */

import { closeSync, mkdtempSync, openSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { main } from "../../../src/cli/call/call-tool.ts";
import { removeLater } from "./clean-up.ts";
import { spawn } from "./processes.ts";
import { type Exited, runMain } from "./script.ts";

export interface Calling {
  readonly env?: Readonly<Record<string, string>>;
  /** What is written to stdin. */
  readonly input?: string;
  /** Called once it runs, with what presses Ctrl+C. */
  readonly started?: (interrupt: () => void) => void;
  /** Called with everything on stderr so far, whenever there is more, and with what presses Ctrl+C. */
  readonly heard?: (stderr: string, interrupt: () => void) => void;
}

/** Runs the script of a project in this process, without a terminal and without the tester's own variables for it. */
export async function runCall(
  root: string,
  args: readonly string[],
  { env = {}, input, started, heard }: Calling = {},
): Promise<Exited> {
  const pressed: (() => void)[] = [];
  const interrupt = () => {
    for (const press of pressed) press();
  };
  const printed = { stdout: "", stderr: "" };
  const print = (stream: keyof typeof printed, text: string) => {
    printed[stream] += text;
    if (stream === "stderr") heard?.(printed.stderr, interrupt);
  };
  const console = {
    log: (text: string) => print("stdout", `${text}\n`),
    error: (text: string) => print("stderr", `${text}\n`),
  };
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      print("stderr", String(chunk));
      done();
    },
  });
  const stdin = openSync(input === undefined ? devNull : fileOf(input), "r");
  const streams = {
    stdin: Object.assign(new PassThrough(), { fd: stdin }),
    stdout: {},
    stderr,
    on: (signal: string, press: () => void) => signal === "SIGINT" && pressed.push(press),
    exit: (code: number) => {
      throw new Error(`the call ends its process, with the code ${code}`);
    },
  };
  try {
    const running = runMain((argv, io) => main(argv, io, streams), { root }, args, { env, console });
    started?.(interrupt);
    const { code } = await running;
    return { code, ...printed };
  } finally {
    closeSync(stdin);
  }
}

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "trivet-stdin-"));
  removeLater(folder);
  const file = join(folder, "stdin");
  writeFileSync(file, text);
  return file;
}

/** Like {@link runCall}, as a process. */
export function spawnCall(
  root: string,
  args: readonly string[],
  { env, input, started, heard }: Calling = {},
): Promise<Exited> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD|TRIVET_)/i.test(name));
  const child = spawn(process.execPath, [join(root, "src/cli/call.ts"), ...args], {
    cwd: root,
    env: { ...Object.fromEntries(own), TMPDIR: tmpdir(), ...env },
  });
  const interrupt = () => void child.kill("SIGINT");
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    heard?.(stderr, interrupt);
  });
  started?.(interrupt);
  child.stdin.end(input ?? "");
  return new Promise((ended) => child.on("close", (code) => ended({ code: code ?? 128, stdout, stderr })));
}
