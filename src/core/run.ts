/** Runs a fork's code until it ends, asks, its time is over, or its caller has gone, whichever is first. */
import { type Ability, CannotAsk } from "./ask.ts";
import type { Caller } from "./call.ts";
import type { RunContext } from "./context.ts";
import { faultOf } from "./fault.ts";
import type { Host, Offer } from "./host.ts";
import { describeError } from "./log.ts";
import type { Outcome } from "./outcome.ts";
import type { Scrub } from "./scrub.ts";

/** What code throws that was told to stop. */
const STOPPED = new Set(["AbortError", "TimeoutError"]);

/** The gateway seed's default ("Timeout"). */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** How the code ended for its caller, and how it ends after all where its caller was not kept waiting. */
export interface Run {
  readonly outcome: Outcome;
  /** Undefined where the code obeyed its signal. Never rejects. */
  readonly late?: Promise<Outcome | undefined>;
}
const INTERNAL = "The tool failed because of an internal error.";

/** @param returned makes an outcome of what the code returned */
export function runWithin(
  work: () => unknown,
  returned: (value: unknown) => Outcome | Promise<Outcome>,
  context: RunContext,
  caller: Caller,
  offer: Offer,
  host: Host,
): Promise<Run> | Run {
  const thrown = (error: unknown): Outcome => {
    if (error instanceof CannotAsk) return cannotAsk(error.ability);
    const fault = faultOf(error, context.scrub);
    if (fault) return { kind: "failed", fault };
    return ourFault(caller, offer, host, INTERNAL, error, context.scrub);
  };

  // Nobody waits for it any more: it has not run, and need not.
  if (caller.isOver?.()) return { outcome: { kind: "cancelled" } };

  let result: unknown;
  let pending: Promise<unknown> | undefined;
  try {
    result = work();
    if (isThenable(result)) pending = Promise.resolve(result);
  } catch (error) {
    return { outcome: thrown(error) };
  }
  if (pending === undefined) {
    const outcome = returned(result);
    return outcome instanceof Promise ? outcome.then((checked) => ({ outcome: checked })) : { outcome };
  }
  const running = pending;
  const gone = caller.signal?.();

  return new Promise((resolve) => {
    const limitMs = offer.traits.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    // The first ending counts: what the code does with its signal afterwards is its own affair, and no fault to log.
    let settled = false;
    const settle = (outcome: Outcome | Promise<Outcome>, late?: Promise<Outcome | undefined>) => {
      settled = true;
      clearTimeout(timer);
      gone?.removeEventListener("abort", onGone);
      if (outcome instanceof Promise) resolve(outcome.then((checked) => ({ outcome: checked })));
      else resolve(late ? { outcome, late } : { outcome });
    };
    const stop = (reason: DOMException, outcome: Outcome) => {
      context.stop(reason);
      const obeyed = (error: unknown) => error === reason || (error instanceof Error && STOPPED.has(error.name));
      const late = running.then(
        (value) => safely(() => returned(value)),
        (error) => (obeyed(error) ? undefined : safely(() => thrown(error))),
      );
      settle(outcome, late);
    };
    const timer = setTimeout(() => {
      const reason = new DOMException(`The time limit of ${limitMs} ms is over`, "TimeoutError");
      stop(reason, { kind: "timed_out", limitMs });
    }, limitMs);
    const onGone = () => {
      stop(new DOMException("The caller has gone", "AbortError"), { kind: "cancelled" });
    };
    gone?.addEventListener("abort", onGone);
    // What the code asked for comes with another call, which runs it again: this run waits for nothing any more.
    context.onAsking((questions, answered) => settle({ kind: "asking", questions, answered }));
    running.then(
      (value) => settled || settle(safely(() => returned(value))),
      (error) => settled || settle(safely(() => thrown(error))),
    );
    if (gone?.aborted) onGone();
  });
}

/** Whatever goes wrong with an ending ends the call all the same: nobody waits for the time limit because of it. */
function safely(make: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
  try {
    return make();
  } catch {
    return { kind: "failed", fault: { message: INTERNAL } };
  }
}

function cannotAsk(ability: Ability): Outcome {
  return { kind: "refused", refusal: { reason: "ability", ability } };
}

/** What another Worker's method returns is a thenable and no Promise. */
export function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  if (value instanceof Promise) return true;
  const may = (typeof value === "object" && value !== null) || typeof value === "function";
  return may && "then" in value && typeof value.then === "function";
}

/** A failure of this side: the caller gets a safe sentence, the log everything. */
export function ourFault(
  caller: Caller,
  { id, version }: Offer,
  host: Host,
  message: string,
  error: unknown,
  scrub?: Scrub,
  developerMessage?: string,
): Outcome {
  const tool = version === undefined ? id : `${id}@${version}`;
  host.log({ level: "error", message, callId: caller.callId, tool, error: describeError(error, scrub) });
  return { kind: "failed", fault: { message, developerMessage } };
}
