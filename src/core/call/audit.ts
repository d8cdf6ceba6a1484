/**
 * Writes the audit line of each call, for log pipelines: a stable interface, documented in docs/operating.md. The
 * call's span, if there is one, gets the same facts.
 */
import type { Caller } from "../model/call.ts";
import { inOneLine } from "../model/issues.ts";
import { missingInWords, type Outcome, type Refusal } from "../model/outcome.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";

/** Ids that callers choose are cut to this length, so that they cannot store data in the log. */
const MAX_ID = 255;

/**
 * Logs one line: the time, the call, what was called, by whom, and how it ended. Never contains input, results,
 * messages, secrets or tokens. Only under `npm start`, it also has the message of a failure that the caller gets.
 *
 * @param primitive undefined if the caller named something that does not exist or is hidden from it
 */
export function audit(
  runtime: Runtime,
  caller: Caller,
  primitive: Primitive | undefined,
  outcome: Outcome,
  durationMs: number,
  replayed?: true,
): void {
  runtime.tracer?.describe(caller, primitive, outcome, replayed);
  runtime.logCall?.({
    level: "info",
    message: "call",
    time: new Date(runtime.now()).toISOString(),
    callId: caller.callId.slice(0, MAX_ID),
    trace: traceOf(caller),
    tool: primitive && (primitive.version === undefined ? primitive.id : `${primitive.id}@${primitive.version}`),
    completion: primitive?.completion,
    protocol: caller.protocol,
    client: clientLabel(caller),
    principal: caller.principal.id,
    outcome: outcome.kind,
    reason: outcome.kind === "refused" ? outcome.refusal.reason : undefined,
    durationMs,
    replayed,
    detail: runtime.isLocal ? detailOf(outcome) : undefined,
  });
}

/** Why a call failed, for the author of a tool; undefined if there is nothing to add to the outcome. */
function detailOf(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "failed":
      return outcome.fault.developerMessage ?? outcome.fault.message;
    case "invalid":
      return inOneLine(outcome.issues);
    case "refused":
      return refusalInWords(outcome.refusal);
    case "completed":
    case "asking":
    case "accepted":
    case "timed_out":
    case "cancelled":
      return undefined;
    default:
      return outcome satisfies never;
  }
}

function refusalInWords(refusal: Refusal): string | undefined {
  if (refusal.reason === "requirements") return `it requires ${missingInWords(refusal.missing)}`;
  if (refusal.reason === "capability") {
    return `it asks "${refusal.question}", and this caller cannot be asked: check ctx.canAsk("${refusal.capability}")`;
  }
  // The author of a misspelled call wants to know which name was requested.
  return "name" in refusal ? refusal.name.slice(0, MAX_ID) : undefined;
}

/** What the client calls itself, with its version: `claude-ai 1.2.0`. */
export function clientLabel({ clientInfo }: Caller): string | undefined {
  return clientInfo?.name && [clientInfo.name, clientInfo.version].join(" ").trimEnd();
}

/** The trace id from `traceparent` (W3C Trace Context, section 3.2.2.3), or else the protocol's own trace id. */
export function traceOf(caller: Caller): string | undefined {
  const trace = caller.trace?.();
  if (trace === undefined) return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(trace.traceparent ?? "")?.[1] ?? trace.id?.slice(0, MAX_ID);
}
