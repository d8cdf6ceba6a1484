/** Ends a call before its result: at its time limit, or because the person presses Ctrl+C. */
import { NotDone } from "./protocols/connection.ts";

export type Limit = ReturnType<typeof startLimit>;

export function startLimit(timeoutMs: number) {
  const end = new AbortController();
  const seconds = timeoutMs / 1_000;
  const over = () => end.abort(new NotDone("timed out", `There was no result within ${seconds} seconds (--timeout).`));
  let leftMs = timeoutMs;
  let since = performance.now();
  let timer = setTimeout(over, leftMs);
  const stop = () => clearTimeout(timer);
  return {
    /** Aborted with a {@link NotDone}. */
    signal: end.signal,
    /** Stops the clock during `work`: a person may take any time to answer. */
    async pausedFor<Result>(work: () => Promise<Result>): Promise<Result> {
      stop();
      leftMs -= performance.now() - since;
      try {
        return await work();
      } finally {
        since = performance.now();
        if (!end.signal.aborted) timer = setTimeout(over, Math.max(0, leftMs));
      }
    },
    /** Ends the call for another reason. */
    fail: (reason: NotDone) => end.abort(reason),
    cancel: () => end.abort(new NotDone("cancelled", "Cancelled.")),
    /** Ends the clock, when the call is over. */
    stop,
  };
}
