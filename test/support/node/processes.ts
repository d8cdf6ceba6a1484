/**
 * The only door to child processes of the tests: everything else in `test/` starts them through these functions, which
 * take what Node's take. A process costs more than most tests, so each test file says how many it starts
 * ({@link mayStart}), and fails if it starts more.
 */
import * as real from "node:child_process";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export type { ChildProcess, ExecFileException } from "node:child_process";

/** The test file that runs in this thread; undefined in a script, which may start what it wants. */
let running: { readonly file: string; allowed: number; started: number } | undefined;

/** Begins to count for a test file. Called before each one by its setup file, each-file.ts. */
export function countFor(file: string): void {
  running = { file, allowed: 0, started: 0 };
}

/** Declares how many processes the calling test file starts at most. Several declarations add up. */
export function mayStart(count: number): void {
  if (running) running.allowed += count;
}

/** Wraps a function of Node's, so that each of its calls counts; with its form for `promisify`, if it has one. */
function counted<Start extends (...given: never[]) => unknown>(start: Start): Start {
  const counting = ((...given: never[]) => {
    count();
    forbidLinks(given);
    return start(...given);
  }) as Start & { [promisify.custom]?: Start };
  const promised = (start as typeof counting)[promisify.custom];
  // Once somebody has promisified a function, its form for `promisify` has itself as that form.
  if (promised && promised !== start) counting[promisify.custom] = counted(promised);
  return counting;
}

/** A process would take this project, to which a fork has links (makeFork, fork.ts), for the fork. */
function forbidLinks(given: readonly unknown[]): void {
  const { cwd } =
    given.findLast((value): value is { cwd?: unknown } => typeof value === "object" && value !== null) ?? {};
  if (typeof cwd !== "string" || !lstatSync(join(cwd, "src/core"), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new Error(`A process is started in a fork whose src has links: make it with makeFork(…, { copied: true }).`);
}

function count(): void {
  if (running === undefined) return;
  running.started += 1;
  if (running.started <= running.allowed) return;
  throw new Error(
    `${running.file} starts more processes than the ${running.allowed} that it declares with mayStart(). ` +
      "Call what the process would run as a function, or declare one more.",
  );
}

export const spawn: typeof real.spawn = counted(real.spawn);
export const spawnSync: typeof real.spawnSync = counted(real.spawnSync);
export const execFile: typeof real.execFile = counted(real.execFile);
export const execFileSync: typeof real.execFileSync = counted(real.execFileSync);
