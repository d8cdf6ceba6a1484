/** Reads the parameters that requests for events share in all delivery modes: event, arguments, and where to begin. */

import { isRecord, type Json } from "../../../core/lib/json.ts";
import { byPath, inOneLine } from "../../../core/model/issues.ts";
import type { DeliveryMode, EventEntry } from "../../../core/model/primitives.ts";
import { isIdentified, lacking } from "../../../core/model/principal.ts";
import type { EventFilter, From, Outbox } from "../../../core/ports/outbox.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { CODE, error, type Rendered, type StatusAndHeaders } from "../../../protocols/mcp/wire/codes.ts";
import { issuesIn, visibleEvents } from "../events/find-event.ts";

/** Error codes of the extension (SEP-3415, Error Codes). */
export const EVENT_CODE = {
  /** There is no such event, or no such subscription: `data.kind`. */
  notFound: -32011,
  forbidden: -32012,
  /** `data.limit` names the limit. */
  exhausted: -32013,
  /** `data.feature` and `data.value` name what is not supported. */
  unsupported: -32014,
  /** A callback could not be verified: `data.reason`. */
  callback: -32015,
} as const;

/** The most characters of the arguments as JSON: an outbox keeps those of all subscriptions in memory. */
const MAX_ARGS = 8_192;
/** The most characters of a cursor, which a stream keeps in memory. Ours have up to 16. */
const MAX_CURSOR = 64;

export type Refused = { readonly refused: Rendered };

export interface EventRequest {
  readonly outbox: Outbox;
  readonly filter: EventFilter;
  readonly from: From;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The events that this request's principal and path can see. */
export function eventsOf({ runtime, principal, toolkit }: RequestContext): readonly EventEntry[] {
  return visibleEvents(runtime.catalog.allEvents, principal, toolkit);
}

/** @returns the outbox; or a refusal, if the deployment has none or the caller cannot have events */
export function outboxFor(context: RequestContext): { readonly outbox: Outbox } | Refused {
  const { runtime, principal } = context;
  if (runtime.outbox === undefined) {
    return refuse(CODE.unknownMethod, "Method not found: this deployment has no outbox", undefined, { status: 404 });
  }
  if (isIdentified(principal, runtime)) return { outbox: runtime.outbox };
  // "servers MUST reject calls without an authorized principal with -32012 Forbidden" (Subscription Identity). The same
  // in all modes: events are kept for one principal, and callers without a credential are not told apart.
  const message = "Events need a credential: they belong to one caller";
  return refuse(EVENT_CODE.forbidden, message, undefined, context.challenge([]));
}

/** @returns a refusal if the request is not valid, or the caller may not make it */
export async function readEventRequest(
  params: unknown,
  context: RequestContext,
  mode: DeliveryMode,
): Promise<EventRequest | Refused> {
  const found = outboxFor(context);
  if ("refused" in found) return found;
  const named = readNameAndArguments(params);
  if ("refused" in named) return named;
  const { filter } = named;
  const entry = eventsOf(context).find(({ name }) => name === filter.name);
  if (entry === undefined) return refuse(EVENT_CODE.notFound, `Unknown event: ${filter.name}`, { kind: "event" });
  const { scopes = [] } = entry.options;
  if (lacking(scopes, context.principal.scopes).length > 0) {
    const message = `${entry.name} needs the scopes ${scopes.join(" ")}`;
    return refuse(EVENT_CODE.forbidden, message, { scopes }, context.challenge(scopes));
  }
  if (!entry.about.delivery.includes(mode)) {
    const message = `${entry.name} is delivered by ${entry.about.delivery.join(" and ")} only`;
    return refuse(EVENT_CODE.unsupported, message, { feature: "deliveryMode", value: mode });
  }
  if (JSON.stringify(filter.args).length > MAX_ARGS)
    return refuse(CODE.invalidParams, `params.arguments must not have over ${MAX_ARGS} characters`);
  const issues = await issuesIn(entry, filter.args);
  if (issues.length > 0) {
    const details = { parameter_errors: byPath(issues, "arguments") };
    return refuse(CODE.invalidParams, `Invalid arguments: ${inOneLine(issues)}`, details);
  }
  const { cursor = null, maxAgeMs = null } = named.params;
  if (cursor !== null && (typeof cursor !== "string" || cursor.length > MAX_CURSOR))
    return refuse(CODE.invalidParams, `params.cursor must be a string of up to ${MAX_CURSOR} characters`);
  if (maxAgeMs !== null && !isCount(maxAgeMs)) {
    return refuse(CODE.invalidParams, "params.maxAgeMs must be a number of milliseconds");
  }
  return { ...found, filter, from: { cursor, maxAgeMs: maxAgeMs ?? undefined }, params: named.params };
}

/** Reads only the name and the arguments: does not look the event up. */
export function readNameAndArguments(
  params: unknown,
): { readonly filter: EventFilter; readonly params: Record<string, unknown> } | Refused {
  if (!isRecord(params) || typeof params.name !== "string") {
    return refuse(CODE.invalidParams, "params.name must be a string");
  }
  // Some serializers send absent optional members as null.
  const args = params.arguments ?? {};
  if (!isRecord(args)) return refuse(CODE.invalidParams, "params.arguments must be an object");
  return { filter: { name: params.name, args: args as Record<string, Json> }, params };
}

/** Whether a value is a whole number, not negative. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function refuse(code: number, message: string, data?: unknown, http?: StatusAndHeaders): Refused {
  return { refused: { ...error(code, message, data), ...http } };
}
