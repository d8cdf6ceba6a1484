/** Runs a fork's code until it ends, asks a question, reaches its time limit, or loses its caller. */

import { describeError, errorInWords, MAX_CAUSES } from "../lib/log.ts";
import { isThenable, type MaybePromise, settlesAtOnce } from "../lib/maybe-promise.ts";
import type { Scrub } from "../lib/scrub.ts";
import type { Caller } from "../model/call.ts";
import { DEFAULT_TIMEOUT_MS } from "../model/default-time-limit.ts";
import { CannotElicit, capabilityFor, type Question } from "../model/elicitation.ts";
import { type Fault, type Outcome, questionInWords } from "../model/outcome.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";
import type { RunContext } from "./context.ts";
import { readFault } from "./faults.ts";

export interface Run {
  readonly outcome: Outcome;
  /**
   * Set if the call timed out or was cancelled while the code was running: the outcome of the code itself, or undefined
   * if it stopped because of its signal. Never rejects.
   */
  readonly late?: Promise<Outcome | undefined>;
}

const INTERNAL = "The tool failed because of an internal error.";

export interface Work {
  readonly context: RunContext;
  readonly caller: Caller;
  readonly primitive: Primitive;
  readonly runtime: Runtime;
  start(): unknown;
  /** Turns what the code returned into an outcome. Must never throw or reject. */
  check(value: unknown): MaybePromise<Outcome>;
}

/**
 * Runs the code within the primitive's time limit. Never throws or rejects. Returns a promise only if the code or its
 * check is asynchronous.
 */
export function runWithin(work: Work): MaybePromise<Run> {
  const { caller } = work;
  // The client has cancelled before the code ran.
  if (caller.client?.isOver) return { outcome: { kind: "cancelled" } };
  let result: unknown;
  try {
    result = work.start();
    if (isThenable(result)) return waitFor(plainPromise(result), (value) => work.check(value), work);
  } catch (error) {
    return { outcome: safely(() => thrown(error, work), work) };
  }
  const outcome = work.check(result);
  return outcome instanceof Promise ? waitFor(outcome, (checked) => checked, work) : { outcome };
}

/**
 * Whether an error was caused by the abort reason. Any other error, even another abort, does not tell whether the code
 * had its effect. `fetch` and `scheduler.wait` reject with a copy of the signal's reason, so name and message are
 * compared.
 */
function isCausedBy(error: unknown, reason: DOMException): boolean {
  let one = error;
  for (let causes = 0; causes < MAX_CAUSES && one instanceof Error; causes++) {
    if (one === reason || (one.name === reason.name && one.message === reason.message)) return true;
    one = one.cause;
  }
  return false;
}

/** Turns a thenable, or a promise whose `then` was overridden, into a plain promise. */
function plainPromise(result: PromiseLike<unknown>): Promise<unknown> {
  const isPlain = result instanceof Promise && result.then === Promise.prototype.then;
  return isPlain ? result : new Promise((settle) => settle(result));
}

/** @param toOutcome turns the promise's value into an outcome; the time limit includes it */
function waitFor<Value>(
  running: Promise<Value>,
  toOutcome: (value: Value) => MaybePromise<Outcome>,
  work: Work,
): Promise<Run> {
  const { context, caller, primitive } = work;
  return new Promise((resolve) => {
    const limitMs = primitive.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    // Only the first result counts: after a run has ended with questions, its code can no longer fail.
    let settled = false;
    let stopped: DOMException | undefined;
    let disarm = () => {};
    const settle = (run: Run) => {
      if (settled) return;
      settled = true;
      disarm();
      resolve(run);
    };
    const isWanted = () => !settled || stopped !== undefined;
    const hasObeyed = (error: unknown) => stopped !== undefined && context.hasSignal && isCausedBy(error, stopped);
    const result: Promise<Outcome | undefined> = running.then(
      (value) => (isWanted() ? safely(() => toOutcome(value), work) : undefined),
      (error) => (isWanted() ? safely(() => (hasObeyed(error) ? undefined : thrown(error, work)), work) : undefined),
    );
    result.then((outcome) => outcome && settle({ outcome }));
    // The answers come with another call, which runs the code again, so this run is over.
    context.onInputRequired = (questions, answered) => settle({ outcome: { kind: "asking", questions, answered } });
    const stop = (reason: DOMException, outcome: Outcome) => {
      stopped = reason;
      context.stop(reason);
      settle({ outcome, late: result });
    };
    const arm = async () => {
      if ((await settlesAtOnce(result)) || settled) return;
      caller.client?.onWait?.();
      const onGone = () => stop(new DOMException("The caller has gone", "AbortError"), { kind: "cancelled" });
      let waitedMs = 0;
      const onTime = () => {
        // Waiting for the caller does not count: extend the timer by that time.
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
      const clientSignal = caller.client?.signal;
      disarm = () => {
        clearTimeout(timer);
        clientSignal?.removeEventListener("abort", onGone);
      };
      clientSignal?.addEventListener("abort", onGone);
      if (clientSignal?.aborted) onGone();
    };
    arm();
  });
}

/** Turns an exception of `make` into an internal fault, so that the call ends at once. */
function safely<Made extends MaybePromise<Outcome | undefined>>(make: () => Made, work: Work): Made | Outcome {
  try {
    return make();
  } catch (error) {
    // Inspecting the value threw: a revoked proxy, or a getter that throws.
    return internalFault(error, work);
  }
}

function thrown(error: unknown, work: Work): Outcome {
  if (error instanceof CannotElicit) return cannotAsk(error.question, work.context.scrub);
  const { scrub } = work.context;
  const fault = readFault(error, scrub);
  if (fault === undefined) return internalFault(error, work);
  return { kind: "failed", fault: work.runtime.isLocal ? withCause(fault, error as Error, scrub) : fault };
}

/** Under `npm start`, the cause of a `ToolError` is its developer message, unless it has one. */
function withCause(fault: Fault, { cause }: Error, scrub: Scrub): Fault {
  const causeInWords = cause === undefined ? undefined : errorInWords(describeError(cause, scrub));
  return { ...fault, developerMessage: fault.developerMessage ?? causeInWords };
}

function internalFault(error: unknown, work: Work): Outcome {
  return ourFault(work, INTERNAL, error, work.context.scrub);
}

function cannotAsk(asked: Question, scrub: Scrub): Outcome {
  const question = scrub(questionInWords(asked));
  return { kind: "refused", refusal: { reason: "capability", capability: capabilityFor(asked), question } };
}

/**
 * Makes and logs a failure that is not the caller's fault. The caller gets only `message`; the log also gets `error`.
 * Under `npm start`, the caller is the author, and gets the error as the developer message.
 */
export function ourFault(
  { caller, primitive: { id, version }, runtime }: Pick<Work, "caller" | "primitive" | "runtime">,
  message: string,
  error: unknown,
  scrub?: Scrub,
  developerMessage?: string,
): Outcome {
  const tool = version === undefined ? id : `${id}@${version}`;
  const described = describeError(error, scrub);
  runtime.log({ level: "error", message, callId: caller.callId, tool, error: described });
  const details = runtime.isLocal ? (developerMessage ?? errorInWords(described)) : developerMessage;
  return { kind: "failed", fault: { message, developerMessage: details } };
}
