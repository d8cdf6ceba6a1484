/**
 * Evaluates bundled tool files, one after another, in a thread that can be stopped: a file that loops, waits for ever or
 * ends its process stops itself and nothing else, and a timer that it leaves running does not keep the build.
 */
import { Worker } from "node:worker_threads";
import type { Inspected } from "./inspect-tool.ts";
import type { ToolFile, ToolkitFile, WorkerFile } from "./paths.ts";

/** A file that is evaluated. */
export type Source = ToolFile | ToolkitFile | WorkerFile;

export interface Job {
  readonly bundle: string;
  readonly source: Source;
}

/** Far longer than any file takes, also on a machine that is busy with other things. */
const LOAD_TIMEOUT_MS = 20_000;
/** Node's exit code when all that is left to do is wait for a top-level await. */
const UNSETTLED = 13;

/** @returns what is known of each file, in the order of the jobs */
export async function evaluate(jobs: readonly Job[]): Promise<Inspected[]> {
  const done: Inspected[] = [];
  while (done.length < jobs.length) done.push(...(await evaluateSome(jobs.slice(done.length))));
  return done;
}

/** At least the first: up to the first that stops the thread. */
function evaluateSome(jobs: readonly Job[]): Promise<Inspected[]> {
  return new Promise((resolve) => {
    const done: Inspected[] = [];
    let reason: string | undefined;
    // Its stderr is not passed on: what Node says there about a stuck thread is said better below.
    const thread = new Worker(new URL("./thread.ts", import.meta.url), { workerData: jobs, stderr: true });
    const timer = setTimeout(() => {
      reason = `does not finish loading within ${LOAD_TIMEOUT_MS / 1000} seconds`;
      thread.terminate();
    }, LOAD_TIMEOUT_MS);
    thread.on("message", (inspected: Inspected) => {
      done.push(inspected);
      if (done.length === jobs.length) thread.terminate();
      else timer.refresh();
    });
    thread.on("error", (error: unknown) => {
      reason = failureInWords(error);
    });
    thread.on("exit", (code) => {
      clearTimeout(timer);
      if (done.length < jobs.length) {
        const end = code === UNSETTLED ? "waits for something that never comes" : "ends the process while it loads";
        done.push(cannotLoad(reason ?? end));
      }
      resolve(done);
    });
  });
}

export function cannotLoad(reason: string): Inspected {
  return {
    complaints: [
      {
        problem: `it cannot be loaded: ${reason}`,
        fix: "correct what the message names; it must load without its Worker, and at once",
      },
    ],
  };
}

export function failureInWords(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
