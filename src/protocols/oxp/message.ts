/** The message that a callback gets of a call or a task that has ended, with its result as OXP has it. */
import type { Json } from "../../core/lib/json.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import { type EventOccurrence, MAX_BODY_BYTES } from "../../core/ports/outbox.ts";
import { CANCELLED, faultMembers, timedOut } from "./render.ts";

/** @returns the result without the call's id; undefined if the outcome is not a result of OXP (Call Tool Response) */
export function resultOf(outcome: Outcome, durationMs: number): Json | undefined {
  const failed = (fault: Parameters<typeof faultMembers>[0]) =>
    // As it will be sent: without members that are undefined.
    JSON.parse(JSON.stringify({ duration: durationMs, success: false, error: faultMembers(fault) }));
  switch (outcome.kind) {
    case "completed":
      return { duration: durationMs, success: true, value: outcome.value ?? null };
    case "failed":
      return failed(outcome.fault);
    case "timed_out":
      return failed(timedOut(outcome.limitMs));
    case "cancelled":
      return failed(CANCELLED);
    default:
      return undefined;
  }
}

/** Leaves room for the rest of the message. */
const MAX_RESULT_BYTES = MAX_BODY_BYTES - 4_096;

/** @returns the result, or what is sent in its place if it is too large for a message */
export function fitting(result: Json | undefined): Json | undefined {
  if (result === undefined) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
  return bytes <= MAX_RESULT_BYTES ? result : OMITTED;
}

const OMITTED = "omitted";

/** @returns JSON text */
export function callMessage(
  { id, name, occurred, data, result }: Omit<EventOccurrence, "cursor"> & { readonly result?: Json | undefined },
  callId: string | undefined,
): string {
  const told =
    result === OMITTED
      ? { result_omitted: `The result is too large for a message of ${MAX_BODY_BYTES} bytes` }
      : { result: result && { call_id: callId, ...(result as object) } };
  return JSON.stringify({
    id,
    type: name,
    created_at: new Date(occurred).toISOString(),
    call_id: callId,
    ...data,
    ...told,
  });
}
