/** Makes the message to a callback: how a call or a task has ended, with its result in OXP's form. */
import type { Json } from "../../core/lib/json.ts";
import { hasRun, type Outcome } from "../../core/model/outcome.ts";
import { type EventOccurrence, MAX_DELIVERY_BYTES } from "../../core/ports/outbox.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { render } from "./render.ts";

/** @returns `result` as in a call's response, with an empty `call_id`; undefined if the tool has not run */
export async function resultOf(outcome: Outcome, durationMs: number): Promise<Json | undefined> {
  if (!hasRun(outcome)) return undefined;
  const { result } = (await render({ outcome, durationMs }, "", NO_REQUEST).json()) as { result: Json };
  return result;
}

/** `render` uses the request only for refusals, and to log large results, which the call's own response also does. */
const NO_REQUEST = { runtime: { log() {} } } as unknown as RequestContext;

/** The largest result, in bytes, that leaves room for the rest of the message. */
const MAX_RESULT_BYTES = MAX_DELIVERY_BYTES - 4_096;

/** @returns the result, or {@link OMITTED} if it is too large for a message */
export function fitting(result: Json | undefined): Json | undefined {
  if (result === undefined) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(result)).length;
  return bytes <= MAX_RESULT_BYTES ? result : OMITTED;
}

/** Stands for a result that is too large. Results are objects, so none can be mistaken for this text. */
export const OMITTED = "omitted";

/** @param callId of the call, if the callback came with a call @returns the body of the message, JSON */
export function callMessage(
  { id, name, occurred, data, result }: Omit<EventOccurrence, "cursor"> & { readonly result?: Json | undefined },
  callId: string | undefined,
): string {
  const told =
    result === OMITTED
      ? { result_omitted: `The result is too large for a message of ${MAX_DELIVERY_BYTES} bytes` }
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
