/** The methods of the events extension that are answered at once: list, poll, subscribe, unsubscribe; and discovery. */

import { isRecord } from "../../../core/lib/json.ts";
import type { EventEntry } from "../../../core/model/primitives.ts";
import { isIdentified, partitionOf } from "../../../core/model/principal.ts";
import type { DeliveryProblem, EventOccurrence, Subscribed } from "../../../core/ports/outbox.ts";
import type { RpcRequest } from "../../../protocols/json-rpc.ts";
import { announcing } from "../../../protocols/mcp/methods/announcing.ts";
import { fragments, paginate } from "../../../protocols/mcp/methods/paging.ts";
import type { Exchange, Method, MethodReply } from "../../../protocols/mcp/transport/exchange.ts";
import { CODE } from "../../../protocols/mcp/wire/codes.ts";
import { keyOfSecret, wrongSecret } from "../signing.ts";
import {
  EVENT_CODE,
  eventsOf,
  isCount,
  outboxFor,
  readEventRequest,
  readNameAndArguments,
  refuse,
} from "./event-request.ts";

const EVENTS_EXTENSION = "io.modelcontextprotocol/events";
/** The most events in one answer, and the default. */
const MAX_EVENTS = 100;
/** When a client should ask again, in milliseconds: sooner if something has just happened. */
const BUSY_POLL_MS = 5_000;
const QUIET_POLL_MS = 30_000;
/** "the literal prefix `whsec_` followed by base64 of 24–64 random bytes" (Subscribing: events/subscribe, Notes). */
const SECRET_FORM = '"whsec_" and base64 of 24 to 64 bytes';

/** @param plain the other methods of the era */
export function methodsWithEvents(plain: ReadonlyMap<string, Method>): ReadonlyMap<string, Method> {
  return new Map([
    ...plain,
    // ChatGPT reads `capabilities.events` (developers.openai.com/plugins/build/mcp-events), others `extensions`
    // (SEP-3415).
    ...announcing(plain, EVENTS_EXTENSION, {}, hasOutbox, { events: {} }),
    ["events/list", list],
    ["events/poll", poll],
    ["events/subscribe", subscribe],
    ["events/unsubscribe", unsubscribe],
  ]);
}

function hasOutbox(_request: unknown, { context: { runtime, principal } }: Exchange): boolean {
  return runtime.outbox !== undefined && isIdentified(principal, runtime);
}

function list({ params }: RpcRequest, exchange: Exchange): MethodReply {
  // Where `server/discover` announces no events, there is no such method. Requests for a certain event get -32012.
  if (!hasOutbox(undefined, exchange)) {
    const message = "Method not found: events/list. Events need an outbox, and a caller with a credential";
    return refuse(CODE.unknownMethod, message, undefined, { status: 404 }).refused;
  }
  const make = ({ name, about: { input, payload, ...about } }: EventEntry) =>
    JSON.stringify({ name, ...about, inputSchema: input, payloadSchema: payload });
  const events = fragments("mcp-events", exchange, () => eventsOf(exchange.context).map(make));
  return paginate("events", events, params, exchange);
}

async function poll({ params }: RpcRequest, { context }: Exchange): Promise<MethodReply> {
  const request = await readEventRequest(params, context, "poll");
  if ("refused" in request) return request.refused;
  const { maxEvents = null } = request.params;
  if (maxEvents !== null && !(isCount(maxEvents) && maxEvents > 0)) {
    return refuse(CODE.invalidParams, "params.maxEvents must be a whole number above 0").refused;
  }
  const limit = Math.min(maxEvents ?? MAX_EVENTS, MAX_EVENTS);
  const page = await request.outbox.read(partitionOf(context.principal), request.filter, { ...request.from, limit });
  return {
    result: {
      events: page.events.map(occurrence),
      cursor: page.cursor,
      truncated: page.isTruncated,
      hasMore: page.hasMore,
      nextPollMs: page.events.length > 0 ? BUSY_POLL_MS : QUIET_POLL_MS,
    },
  };
}

/** An event as clients get it (EventOccurrence), without its cursor. */
export function occurrence({ id, name, occurred, data }: EventOccurrence): Record<string, unknown> {
  return { eventId: id, name, timestamp: new Date(occurred).toISOString(), data };
}

async function subscribe({ params }: RpcRequest, { context }: Exchange): Promise<MethodReply> {
  const request = await readEventRequest(params, context, "webhook");
  if ("refused" in request) return request.refused;
  const { delivery, ttlMs } = request.params;
  if (!isRecord(delivery)) return refuse(CODE.invalidParams, "params.delivery must be an object").refused;
  const { mode = "webhook", url, secret } = delivery;
  if (mode !== "webhook") {
    const data = { feature: "deliveryMode", value: mode };
    return refuse(EVENT_CODE.unsupported, 'params.delivery.mode must be "webhook"', data).refused;
  }
  if (!isUrl(url)) return refuse(CODE.invalidParams, "params.delivery.url must be an absolute https URL").refused;
  if (typeof secret !== "string" || keyOfSecret(secret) === undefined) {
    const wrong = typeof secret === "string" ? wrongSecret(secret) : undefined;
    const message =
      wrong === undefined ? `params.delivery.secret must be ${SECRET_FORM}` : `params.delivery.secret: ${wrong}`;
    return refuse(CODE.invalidParams, message).refused;
  }
  if (ttlMs !== undefined && ttlMs !== null && !isCount(ttlMs)) {
    return refuse(CODE.invalidParams, "params.ttlMs must be a number of milliseconds, or null").refused;
  }
  const { outbox, filter, from } = request;
  return subscribed(await outbox.subscribe(context.principal, { ...filter, ...from, url, secret, ttlMs }));
}

function subscribed(answer: Subscribed): MethodReply {
  switch (answer.state) {
    case "subscribed": {
      const { id, expires, cursor, isTruncated, delivery } = answer;
      const deliveryStatus = delivery && {
        active: delivery.isActive,
        lastDeliveryAt: timeOf(delivery.lastDelivered) ?? null,
        lastError: errorOf(delivery.lastProblem),
        failedSince: timeOf(delivery.failingSince),
      };
      return { result: { id, refreshBefore: timeOf(expires), cursor, truncated: isTruncated, deliveryStatus } };
    }
    case "unverified": {
      const message = `The callback could not be verified. ${answer.message}`;
      return refuse(EVENT_CODE.callback, message, { reason: answer.problem }).refused;
    }
    // "Servers MUST reject `events/subscribe` with a non-`https` `delivery.url` (-32602)" (TLS requirement).
    case "refused":
      return refuse(CODE.invalidParams, `params.delivery.url: ${answer.message}`).refused;
    case "full": {
      const { max } = answer;
      return refuse(EVENT_CODE.exhausted, "Too many subscriptions; end one first", { limit: "subscriptions", max })
        .refused;
    }
  }
}

/** Does not look the event up, so that a subscription can be ended when the deployment no longer has its event. */
async function unsubscribe({ params }: RpcRequest, { context }: Exchange): Promise<MethodReply> {
  const found = outboxFor(context);
  if ("refused" in found) return found.refused;
  const named = readNameAndArguments(params);
  if ("refused" in named) return named.refused;
  const { delivery } = named.params;
  if (!isRecord(delivery) || typeof delivery.url !== "string") {
    return refuse(CODE.invalidParams, "params.delivery.url must be a string").refused;
  }
  const wasThere = await found.outbox.unsubscribe(context.principal, { ...named.filter, url: delivery.url });
  if (wasThere) return { result: {} };
  const message = "There is no such subscription: it has ended, or its name, arguments or URL were others";
  return refuse(EVENT_CODE.notFound, message, { kind: "subscription" }).refused;
}

/**
 * "`lastError` MUST be […] one of `connection_refused`, `timeout`, `tls_error`, `http_4xx`, `http_5xx`,
 * `challenge_failed`" (Webhook Delivery Status). A redirect counts as a 4xx: the client has to correct its URL.
 */
function errorOf(problem: DeliveryProblem | undefined): string | null {
  return problem === "redirect" ? "http_4xx" : (problem ?? null);
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function isUrl(url: unknown): url is string {
  return typeof url === "string" && URL.canParse(url);
}
