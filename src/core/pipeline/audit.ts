/** The audit line: what a log pipeline learns of each call. A stable interface, documented in the README. */
import type { Caller } from "../model/call.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";

/** Longer ids of a caller's own making are cut: a log line is no place to keep things. */
const MAX_ID = 255;

/**
 * Writes one line: when, which call, of what, by whom, how it ended. No input, result, message, secret or token.
 *
 * @param offer absent where nothing of that name exists for the caller
 */
export function audit(
  runtime: Runtime,
  caller: Caller,
  offer: Offer | undefined,
  outcome: Outcome,
  durationMs: number,
  replayed?: true,
): void {
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

/** The trace id of W3C's header (Trace Context, section 3.2.2.3), else the protocol's own. */
function traceOf(caller: Caller): string | undefined {
  const trace = caller.trace?.();
  if (trace === undefined) return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(trace.traceparent ?? "")?.[1] ?? trace.id?.slice(0, MAX_ID);
}
