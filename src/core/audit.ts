/** The audit line: what a log pipeline learns of each call. A stable interface, documented in the README. */
import type { Caller } from "./call.ts";
import type { Host, Offer } from "./host.ts";
import type { Outcome } from "./outcome.ts";

/** Longer ids of a caller's own making are cut: a log line is no place to keep things. */
const MAX_ID = 255;

/**
 * Writes one line: when, which call, of what, by whom, how it ended. No input, result, message, secret or token.
 *
 * @param offer absent where nothing of that name exists for the caller
 */
export function audit(
  host: Host,
  caller: Caller,
  offer: Offer | undefined,
  outcome: Outcome,
  durationMs: number,
  replayed?: true,
): void {
  host.logCall?.({
    level: "info",
    message: "call",
    time: new Date(host.now()).toISOString(),
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
