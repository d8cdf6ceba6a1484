/**
 * One change of a name at a time, within an isolate. Each waits on its own request's timers: what waits for a promise of
 * another request has nothing of its own to wait for, and the runtime may take it for hung.
 */

/** A change waits for another no longer: that one's request may have been cut short, and its turn never end. */
const TURN_MS = 5_000;
/** Most are over at once; who waits for a write that KV refused need not look 500 times. */
const LOOK_AGAIN_MS = 2;
const MAX_PAUSE_MS = 32;

/** @param now milliseconds */
export function takingTurns(now: () => number): (name: string, work: () => Promise<void>) => Promise<void> {
  const turns = new Map<string, { readonly since: number }>();
  return async (name, work) => {
    let pause = LOOK_AGAIN_MS;
    for (let busy = turns.get(name); busy && now() - busy.since < TURN_MS; busy = turns.get(name)) {
      await new Promise((resume) => setTimeout(resume, pause));
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
    const turn = { since: now() };
    turns.set(name, turn);
    try {
      await work();
    } finally {
      if (turns.get(name) === turn) turns.delete(name);
    }
  };
}
