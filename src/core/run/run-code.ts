/** Runs a fork's code until it ends, asks, its time is over, or its caller has gone, whichever is first. */

import { describeError } from "../lib/log.ts";
import { isThenable, type MaybePromise, settlesAtOnce } from "../lib/maybe-promise.ts";
import type { Scrub } from "../lib/scrub.ts";
import type { Caller } from "../model/call.ts";
import { CannotElicit, type Capability } from "../model/elicitation.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";
import type { RunContext } from "./context.ts";
import { readFault } from "./faults.ts";

/** The gateway seed's default ("Timeout"). */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** How the code ended for its caller, and how it ends after all where its caller was not kept waiting. */
export interface Run {
  readonly outcome: Outcome;
  /** Undefined where the code obeyed its signal. Never rejects. */
  readonly late?: Promise<Outcome | undefined>;
}

const INTERNAL = "The tool failed because of an internal error.";

/** What is run, for whom. */
export interface Work {
  readonly context: RunContext;
  readonly caller: Caller;
  readonly offer: Offer;
  readonly runtime: Runtime;
  /** Runs the fork's code. */
  start(): unknown;
  /** Makes an outcome of what the code returned. Never throws, whatever that was, and never rejects. */
  check(value: unknown): MaybePromise<Outcome>;
}

export function runWithin(work: Work): MaybePromise<Run> {
  const { caller } = work;
  // Nobody waits for it any more: it has not run, and need not.
  if (caller.client?.isOver) return { outcome: { kind: "cancelled" } };
  let result: unknown;
  try {
    result = work.start();
    if (isThenable(result)) return waitFor(plainPromise(result), (value) => work.check(value), work);
  } catch (error) {
    return { outcome: safely(() => thrown(error, work), work) };
  }
  const outcome = work.check(result);
  return outcome instanceof Promise ? waitFor(outcome, (judged) => judged, work) : { outcome };
}

/** Causes that are followed from an error: wrappers have few, and a cycle ends here. */
const MAX_CAUSES = 8;

/**
 * Whether the code ended because of `reason`. Another abort says nothing of whether the code had its effect. What the
 * runtime's own functions reject with (`fetch`, `scheduler.wait`) is a copy of the signal's reason.
 */
function isOf(error: unknown, reason: DOMException): boolean {
  let one = error;
  for (let causes = 0; causes < MAX_CAUSES && one instanceof Error; causes++) {
    if (one === reason || (one.name === reason.name && one.message === reason.message)) return true;
    one = one.cause;
  }
  return false;
}

/** A promise that settles as the runtime's own do, whatever `then` it came with. */
function plainPromise(result: PromiseLike<unknown>): Promise<unknown> {
  const isPlain = result instanceof Promise && result.then === Promise.prototype.then;
  return isPlain ? result : new Promise((settle) => settle(result));
}

/** @param judge makes an outcome of what comes: under the same time limit */
function waitFor<Value>(
  running: Promise<Value>,
  judge: (value: Value) => MaybePromise<Outcome>,
  work: Work,
): Promise<Run> {
  const { context, caller, offer } = work;
  return new Promise((resolve) => {
    const limitMs = offer.traits.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    // The first ending counts: what the code does with its signal afterwards is its own affair, and no fault to log.
    let settled = false;
    let stopped: DOMException | undefined;
    let disarm = () => {};
    const settle = (run: Run) => {
      if (settled) return;
      settled = true;
      disarm();
      resolve(run);
    };
    const isOurs = () => !settled || stopped !== undefined;
    const obeyed = (error: unknown) => stopped !== undefined && context.hasSignal && isOf(error, stopped);
    const result: Promise<Outcome | undefined> = running.then(
      (value) => (isOurs() ? safely(() => judge(value), work) : undefined),
      (error) => (isOurs() ? safely(() => (obeyed(error) ? undefined : thrown(error, work)), work) : undefined),
    );
    result.then((outcome) => outcome && settle({ outcome }));
    // What the code asked for comes with another call, which runs it again: this run waits for nothing any more.
    context.onInputRequired = (questions, answered) => settle({ outcome: { kind: "asking", questions, answered } });
    const stop = (reason: DOMException, outcome: Outcome) => {
      stopped = reason;
      context.stop(reason);
      settle({ outcome, late: result });
    };
    const arm = async () => {
      if ((await settlesAtOnce(result)) || settled) return;
      const onGone = () => stop(new DOMException("The caller has gone", "AbortError"), { kind: "cancelled" });
      let waitedMs = 0;
      const onTime = () => {
        // Time spent waiting for the caller is not the code's: restart the timer for it.
        const newlyWaitedMs = context.waitedMs - waitedMs;
        waitedMs += newlyWaitedMs;
        if (newlyWaitedMs > 0) {
          timer = setTimeout(onTime, newlyWaitedMs);
          return;
        }
        const reason = new DOMException(`The time limit of ${limitMs} ms is over`, "TimeoutError");
        stop(reason, { kind: "timed_out", limitMs });
      };
      let timer = setTimeout(onTime, limitMs);
      const gone = caller.client?.signal;
      disarm = () => {
        clearTimeout(timer);
        gone?.removeEventListener("abort", onGone);
      };
      gone?.addEventListener("abort", onGone);
      if (gone?.aborted) onGone();
    };
    arm();
  });
}

/** Whatever goes wrong with an ending ends the call all the same: nobody waits for the time limit because of it. */
function safely<Made extends MaybePromise<Outcome | undefined>>(make: () => Made, work: Work): Made | Outcome {
  try {
    return make();
  } catch (error) {
    // What cannot even be looked at: a proxy that was revoked, a getter that throws.
    return internal(error, work);
  }
}

function thrown(error: unknown, work: Work): Outcome {
  if (error instanceof CannotElicit) return cannotAsk(error.capability);
  const fault = readFault(error, work.context.scrub);
  return fault ? { kind: "failed", fault } : internal(error, work);
}

function internal(error: unknown, { context, caller, offer, runtime }: Work): Outcome {
  return ourFault(caller, offer, runtime, INTERNAL, error, context.scrub);
}

function cannotAsk(capability: Capability): Outcome {
  return { kind: "refused", refusal: { reason: "capability", capability } };
}

/** A failure of this side: the caller gets a safe sentence, the log everything. */
export function ourFault(
  caller: Caller,
  { id, version }: Offer,
  runtime: Runtime,
  message: string,
  error: unknown,
  scrub?: Scrub,
  developerMessage?: string,
): Outcome {
  const tool = version === undefined ? id : `${id}@${version}`;
  runtime.log({ level: "error", message, callId: caller.callId, tool, error: describeError(error, scrub) });
  return { kind: "failed", fault: { message, developerMessage } };
}
