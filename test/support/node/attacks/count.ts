/**
 * Counts the attacks that were refused (status 400 to 499) for the last line of the test run (reporter.ts). An attack
 * that is let in fails its test. Not counted are attacks that get an answer, in tests of what that answer must not
 * contain.
 */
declare module "vitest" {
  interface TaskMeta {
    /** Requests refused during this test. */
    attacks?: number;
  }
}

let refused = 0;

export function countIfRefused(status: number): void {
  if (status >= 400 && status < 500) refused++;
}

/** Called after each test, by each-file.ts. */
export function noteAttacks({ task }: { task: { meta: { attacks?: number } } }): void {
  if (refused > 0) task.meta.attacks = refused;
  refused = 0;
}
