/** The message that a callback gets of a call or a task that has ended, with its result as OXP has it. */
import type { Json } from "../../core/lib/json.ts";
import type { Outcome } from "../../core/model/outcome.ts";
import { type EventOccurrence, MAX_BODY_BYTES } from "../../core/ports/outbox.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { render } from "./render.ts";

/** @returns the `result` of a call's response, with an empty `call_id`; undefined if the tool has not run */
export async function resultOf(outcome: Outcome, durationMs: number): Promise<Json | undefined> {
  if (outcome.kind === "refused" || outcome.kind === "invalid" || outcome.kind === "asking") return undefined;
  // Only what was refused is rendered for a request.
  const { result } = (await render({ outcome, durationMs }, "", {} as RequestContext).json()) as { result: Json };
  return result;
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
      : { result: result && { ...(result as object), call_id: callId } };
  return JSON.stringify({
    id,
    type: name,
    created_at: new Date(occurred).toISOString(),
    call_id: callId,
    ...data,
    ...told,
  });
}
