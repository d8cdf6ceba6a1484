/**
 * The audit line of each call, for log pipelines: a stable interface, documented in the README. The same goes into the
 * call's span, if there is one.
 */
import type { Caller } from "../model/call.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";

/** Ids that callers choose are cut to this length, so that they cannot store data in the log. */
const MAX_ID = 255;

/**
 * Logs one line: the time, which call, of what, by whom, and how it ended. No input, result, message, secret or token.
 *
 * @param offer undefined if the caller named something that does not exist or is hidden from it
 */
export function audit(
  runtime: Runtime,
  caller: Caller,
  offer: Offer | undefined,
  outcome: Outcome,
  durationMs: number,
  replayed?: true,
): void {
  runtime.tracer?.describe(caller, offer, outcome, replayed);
  runtime.logCall?.({
    level: "info",
    message: "call",
    time: new Date(runtime.now()).toISOString(),
    callId: caller.callId.slice(0, MAX_ID),
    trace: traceOf(caller),
    tool: offer && (offer.version === undefined ? offer.id : `${offer.id}@${offer.version}`),
    completion: offer?.completion,
    protocol: caller.protocol,
    principal: caller.principal.id,
    outcome: outcome.kind,
    reason: outcome.kind === "refused" ? outcome.refusal.reason : undefined,
    durationMs,
    replayed,
  });
}

/** The trace id from `traceparent` (W3C Trace Context, section 3.2.2.3), or else the protocol's own. */
export function traceOf(caller: Caller): string | undefined {
  const trace = caller.trace?.();
  if (trace === undefined) return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(trace.traceparent ?? "")?.[1] ?? trace.id?.slice(0, MAX_ID);
}
