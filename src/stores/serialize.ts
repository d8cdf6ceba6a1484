/**
 * Runs the changes to each name one after the other, within an isolate. Each waiting change polls with timers of its
 * own request. If it awaited a promise of another request instead, the runtime could consider its own request hung.
 */

import { dropOldest } from "../core/lib/drop-oldest.ts";

/** How long a change waits for another one. If that one's request was cut short, its turn never ends. */
const TURN_MS = 5_000;
/** Shortest and longest pause between two polls. Most turns end at once, but one may wait for a write to KV. */
const LOOK_AGAIN_MS = 2;
const MAX_PAUSE_MS = 32;
/** Most turns that are remembered, far more than go on at a time. One never ends if its request was cut short. */
const MAX_TURNS = 10_000;

/** @param now returns milliseconds */
export function takingTurns(now: () => number): (name: string, work: () => Promise<void>) => Promise<void> {
  const turns = new Map<string, { readonly since: number }>();
  return async (name, work) => {
    let pause = LOOK_AGAIN_MS;
    for (let busy = turns.get(name); busy && now() - busy.since < TURN_MS; busy = turns.get(name)) {
      await new Promise((resume) => setTimeout(resume, pause));
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
    const turn = { since: now() };
    turns.delete(name);
    turns.set(name, turn);
    dropOldest(turns, MAX_TURNS);
    try {
      await work();
    } finally {
      if (turns.get(name) === turn) turns.delete(name);
    }
  };
}
