/**
 * Streams that stay open for news: GET in the legacy era (2025-11-25, basic/transports, Listening for Messages), and
 * `subscriptions/listen` in the modern one (2026-07-28, basic/patterns/subscriptions).
 */

import { isRecord } from "../../../core/lib/json.ts";
import type { Change } from "../../../core/model/change.ts";
import { MAX_SUBSCRIBED_URI } from "../../../core/model/change.ts";
import { partitionOf } from "../../../core/model/principal.ts";
import { missingScopes } from "../../../core/pipeline/authorize.ts";
import { findResource, resourceOffer, subscribedTo } from "../../../core/pipeline/resources.ts";
import { type Lines, type Listener, readLines, type Subscribed, type Wanted } from "../../../core/ports/change-feed.ts";
import { LOST } from "../../../core/ports/relay.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { type EventStream, eventStream } from "../../../http/sse.ts";
import type { RpcId, RpcRequest } from "../../json-rpc.ts";
import { END, eventId, readEventId } from "../wire/event-id.ts";
import { META } from "../wire/meta.ts";
import { lostAnswer, RETRY_MS } from "./resumable-stream.ts";
import { type McpSession, relayBox } from "./sessions.ts";

/** Resources that one subscription may name. */
const MAX_URIS = 100;
const EVERYTHING = { tools: true, prompts: true, resources: true, uris: [] };
const NOTHING = { tools: false, prompts: false, resources: false, uris: [] };

/** Least time between two rechecks of a stream's credential: beats can come faster. */
const RECHECK_MS = 5_000;

export type Listening = Response | "too many streams";

/** The stream of a session: what its subscriptions and the catalogue bring, or what it missed on an earlier stream. */
export async function listenInSession(
  context: RequestContext,
  session: McpSession,
): Promise<Listening | "unknown event" | "nothing follows"> {
  const { headers, runtime, principal, toolkit } = context;
  const lastEvent = headers.get("last-event-id");
  if (lastEvent) return resume(context, relayBox(context, session), lastEvent);
  const { revision } = runtime.catalog;
  const listener = {
    principal: partitionOf(principal),
    session: {
      id: session.id,
      scopes: principal.scopes,
      toolkits: toolkit === undefined ? principal.toolkits : [toolkit],
    },
    wanted: EVERYTHING,
    revision,
    knows: session.knows,
  };
  // What the session subscribed to by a token with more scopes is not for this one.
  return listen(context, listener, (change, stream) => {
    if (change.of !== "resource" || mayRead(context, change.uri)) stream.send(JSON.stringify(notification(change, {})));
  });
}

/** Whether it is offered here, and the client may read it: of what it may not, not even changes are told. */
function mayRead(context: RequestContext, uri: string): boolean {
  return readable(context, uri) !== undefined;
}

function readable({ runtime, principal, toolkit }: RequestContext, uri: string): Subscribed | undefined {
  const found = findResource(runtime.catalog, toolkit, uri);
  return found && !missingScopes(resourceOffer(found.entry), principal) ? subscribedTo(found, uri) : undefined;
}

/** What a client missed of a stream that it lost, and what is still to come (Resumability and Redelivery). */
async function resume(
  context: RequestContext,
  box: string,
  id: string,
): Promise<Listening | "unknown event" | "nothing follows"> {
  const { runtime, principal, toolkit } = context;
  const resumed = await readEventId(runtime, box, id, { scopes: principal.scopes, toolkit });
  if (resumed === undefined) return "unknown event";
  const { name, stream: lost, after } = resumed;
  if (after === END) return "nothing follows";
  // Listens to nothing: counts as one of the principal's streams and supplies the heartbeat.
  const listener = { principal: partitionOf(principal), wanted: NOTHING, revision: runtime.catalog.revision };
  const heartbeat = await runtime.changeFeed.listen(listener);
  if (heartbeat === undefined) return "too many streams";
  const entries = await runtime.relay.follow(box, lost, after).catch(async (error) => {
    await heartbeat.cancel();
    throw error;
  });
  if (entries === undefined) {
    await heartbeat.cancel();
    return "nothing follows";
  }
  const tell = (line: string, stream: EventStream) => {
    const at = Number.parseInt(line, 10);
    if (line === LOST) stream.sendWithId(lostAnswer(resumed, "The call was lost"), eventId(name, END));
    else stream.sendWithId(line.slice(line.indexOf(" ") + 1), eventId(name, at));
  };
  // The id once more: clients come back with what they heard last on this connection.
  const first = (stream: EventStream) => stream.prime(eventId(name, after), RETRY_MS);
  return forward(context, entries, tell, { first, heartbeat });
}

/** Answers `subscriptions/listen`: the acknowledgement first, then what was asked for and nothing else. */
export async function listenToSubscription(
  context: RequestContext,
  { id, params }: RpcRequest,
): Promise<Listening | "malformed"> {
  const filter = isRecord(params) ? params.notifications : undefined;
  if (!isRecord(filter)) return "malformed";
  const uris = filter.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || uris.length > MAX_URIS || !uris.every((uri) => typeof uri === "string"))
    return "malformed";
  const { runtime, principal } = context;
  const wanted: Wanted = {
    tools: filter.toolsListChanged === true,
    prompts: filter.promptsListChanged === true,
    resources: filter.resourcesListChanged === true,
    // Only what this path offers and the client may read: of another toolkit's resources not even changes are told.
    uris: uris.filter((uri) => uri.length <= MAX_SUBSCRIBED_URI && mayRead(context, uri)),
  };
  const tagged = { _meta: { [META.subscriptionId]: id } };
  const acknowledged = {
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { ...tagged, notifications: honoured(wanted) },
  };
  const listener = { principal: partitionOf(principal), wanted, revision: runtime.catalog.revision };
  return listen(context, listener, (change, stream) => stream.send(JSON.stringify(notification(change, tagged))), {
    first: (stream) => stream.send(JSON.stringify(acknowledged)),
    last: (stream) => sendClosing(id, stream),
  });
}

/**
 * Subscriptions, Graceful Closure, and Cancellation: one text wants a result, the other a notification. Both are sent.
 */
function sendClosing(id: RpcId, stream: EventStream): void {
  const _meta = { [META.subscriptionId]: id };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta, requestId: id } };
  stream.send(JSON.stringify(cancelled));
  stream.send(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta } }));
}

function honoured({ tools, prompts, resources, uris }: Wanted): Record<string, unknown> {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  };
}

function notification(change: Change, tagged: Record<string, unknown>): Record<string, unknown> {
  if (change.of === "resource") {
    return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { ...tagged, uri: change.uri } };
  }
  return { jsonrpc: "2.0", method: `notifications/${change.of}/list_changed`, params: tagged };
}

interface StreamOptions {
  /** Says what comes first. */
  readonly first?: (stream: EventStream) => void;
  /** Says what comes last. */
  readonly last?: (stream: EventStream) => void;
  /** Where the heartbeat comes from, if not with the lines. */
  readonly heartbeat?: ReadableStream<Uint8Array>;
}

async function listen(
  context: RequestContext,
  listener: Listener,
  tell: (change: Change, stream: EventStream) => void,
  options?: StreamOptions,
): Promise<Listening> {
  const changes = await context.runtime.changeFeed.listen(listener, (uri) => readable(context, uri));
  if (changes === undefined) return "too many streams";
  return forward(context, changes, (line, stream) => tell(JSON.parse(line), stream), options);
}

/**
 * An event stream that says what comes in line by line, keeps alive, and ends when either side does, or when its
 * principal is not admitted any more.
 */
function forward(
  context: RequestContext,
  source: ReadableStream<Uint8Array>,
  tell: (line: string, stream: EventStream) => void,
  { first, last, heartbeat }: StreamOptions = {},
): Response {
  const incoming = readLines(source);
  const beating = heartbeat && readLines(heartbeat);
  // Ends the loops below, and with them the streams behind them. A broken connection shows only in the request's
  // signal.
  const stop = () => {
    incoming.cancel();
    beating?.cancel();
  };
  // News is for who reads it. What was kept of a call comes all at once, before its client can read any.
  const stream = eventStream(stop, ": ", beating ? undefined : 0);
  context.request.signal.addEventListener("abort", stop);
  first?.(stream);
  let checked = Date.now();
  // Comments keep the connection open, and reveal that it has closed.
  const beat = async () => {
    stream.comment("keep-alive");
    if (Date.now() - checked < RECHECK_MS) return;
    checked = Date.now();
    if (await context.recheck(0)) stop();
  };
  const relay = async (lines: Lines) => {
    try {
      // An empty line is a beat.
      for await (const line of lines) await (line === "" ? beat() : tell(line, stream));
    } catch {
      // The other side has gone, or the object behind the stream was restarted: clients come back.
    }
  };
  const relayAll = async () => {
    await Promise.race([relay(incoming), ...(beating ? [relay(beating)] : [])]);
    stop();
    last?.(stream);
    stream.close();
  };
  // Deferred: otherwise the runtime stops this when the client goes, and the stream behind it is never closed.
  context.runtime.defer(relayAll());
  return stream.response;
}
