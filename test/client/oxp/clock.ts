/** A clock for retries on which waits take no time, and which remembers them. */
import type { Clock } from "../../../src/client/oxp.ts";

export interface Simulated extends Clock {
  /** The waits so far, in milliseconds. */
  readonly slept: number[];
  /** Lets time pass, as a request does. */
  pass(ms: number): void;
}

/** @param random what chance yields each time */
export function simulated(random = 0.5): Simulated {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    pass(ms) {
      now += ms;
    },
    now: () => now,
    random: () => random,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}
