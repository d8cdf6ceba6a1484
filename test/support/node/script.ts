/** Runs npm scripts in this process, by their `main`, on a fork that costs less than a copy of this project. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Io } from "../../../src/cli/lib/io.ts";
import { type Fork, testSettings } from "./fork.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

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

/**
 * A fork for scripts that run in this process. Its `src` is a link to this project's, so a process that is started in it
 * would take this project for the fork: then use `makeFork`.
 */
export function lightFork(tools: Readonly<Record<string, string>>, settings = testSettings()): Fork {
  const root = mkdtempSync(join(tmpdir(), "trivet-fork-"));
  for (const file of ["package.json", "tsconfig.json"]) cpSync(join(ROOT, file), join(root, file));
  for (const folder of ["src", "node_modules"]) symlinkSync(join(ROOT, folder), join(root, folder));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("wrangler.toml", settings);
  mkdirSync(join(root, "tools"));
  for (const [path, text] of Object.entries(tools)) write(`tools/${path}`, text);
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  return { root, write, read, remove: () => rmSync(root, { recursive: true, force: true }) };
}
