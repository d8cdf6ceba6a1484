/**
 * Evaluates bundled tool files, one after another, in a thread that can be stopped. A file that loops, never finishes
 * loading or exits its process does not affect the others, and a timer that it leaves running does not hold up the
 * build.
 */
import { Worker } from "node:worker_threads";
import type { Inspected } from "./inspected.ts";
import type { PrimitiveFile, SourceFile, WorkerFile } from "./paths.ts";

export type Source = PrimitiveFile | SourceFile | WorkerFile;

export interface Job {
  readonly bundle: string;
  readonly source: Source;
}

/** Far longer than any file needs, even on a busy machine. */
const LOAD_TIMEOUT_MS = 20_000;
/** Node's exit code if a top-level await never settles. */
const UNSETTLED = 13;

/** @returns the inspection of each file, in the order of the jobs. Never rejects: a failure becomes a complaint */
export async function evaluate(jobs: readonly Job[]): Promise<Inspected[]> {
  const done: Inspected[] = [];
  while (done.length < jobs.length) done.push(...(await evaluateSome(jobs.slice(done.length))));
  return done;
}

/** Evaluates the first job, and those after it up to and including the first that stops the thread. */
function evaluateSome(jobs: readonly Job[]): Promise<Inspected[]> {
  return new Promise((resolve) => {
    const done: Inspected[] = [];
    let reason: string | undefined;
    // stderr is captured and dropped: our own message about a stuck thread below is better than Node's.
    const thread = new Worker(new URL("./worker-thread.ts", import.meta.url), { workerData: jobs, stderr: true });
    const timer = setTimeout(() => {
      reason = `it does not finish loading within ${LOAD_TIMEOUT_MS / 1000} seconds`;
      thread.terminate();
    }, LOAD_TIMEOUT_MS);
    thread.on("message", (inspected: Inspected) => {
      done.push(inspected);
      if (done.length === jobs.length) thread.terminate();
      else timer.refresh();
    });
    thread.on("error", (error: unknown) => {
      reason = describeFailure(error);
    });
    thread.on("exit", (code) => {
      clearTimeout(timer);
      if (done.length < jobs.length) {
        const end =
          code === UNSETTLED ? "it awaits something that never settles" : "it exits the process while it loads";
        done.push(cannotLoad(reason ?? end));
      }
      resolve(done);
    });
  });
}

/**
 * The inspection of a file that cannot be loaded.
 *
 * @param line where in the file, if it is known
 */
export function cannotLoad(reason: string, line?: number, fix = FIX): Inspected {
  return { complaints: [{ problem: `it cannot be loaded: ${reason}`, fix, line }] };
}

const FIX = "correct what the message names; a file must load quickly, and outside a Worker too";

/** A thrown value as text: name and message of an error. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
