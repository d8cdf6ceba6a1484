/**
 * Counts the requests of attacks that were refused (a status from 400 to 499), for the line that the test run ends with
 * (reporter.ts). Each is one that a test sent to be refused, as one that is let in fails its test. Where
 * an attack is answered, and the test is about what the answer leaves out, it is not counted.
 */
import { afterEach } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Requests that were refused in the course of this test. */
    attacks?: number;
  }
}

let refused = 0;

export function countIfRefused(status: number): void {
  if (status >= 400 && status < 500) refused++;
}

afterEach(({ task }) => {
  task.meta.attacks = refused;
  refused = 0;
});
