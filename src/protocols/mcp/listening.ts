/**
 * Streams that stay open for news: GET in the legacy era (2025-11-25, basic/transports, Listening for Messages), and
 * `subscriptions/listen` in the modern one (2026-07-28, basic/patterns/subscriptions).
 */
import { type Change, type Listener, readLines, type Wanted } from "../../core/changes.ts";
import { isRecord } from "../../core/json.ts";
import { lackingScopes } from "../../core/permit.ts";
import { ownerOf } from "../../core/principal.ts";
import { findResource, resourceOffer } from "../../core/resources.ts";
import type { Visit } from "../http.ts";
import type { RpcId, RpcRequest } from "../json-rpc.ts";
import { type EventStream, eventStream } from "../sse.ts";
import { eventId, readEventId } from "./channel.ts";
import { META } from "./era.ts";
import { boxOf, type SessionFacts } from "./session.ts";

/** Resources that one subscription may name. */
const MAX_URIS = 100;
const EVERYTHING = { tools: true, prompts: true, resources: true, uris: [] };

export type Listening = Response | "too many streams";

/** The stream of a session: what its subscriptions and the catalogue bring, or what it missed on an earlier stream. */
export async function listenInSession(visit: Visit, session: SessionFacts): Promise<Listening> {
  const { headers, host, principal } = visit;
  const resumed = readEventId(headers.get("last-event-id") ?? "");
  if (resumed) {
    const entries = await host.mail.follow(boxOf(visit, session), resumed.key, resumed.after);
    if (entries === undefined) return "too many streams";
    let seen = resumed.after;
    return forward(entries, visit, (line, stream) => stream.sendWithId(line, eventId(resumed.key, ++seen)));
  }
  const { revision } = host.catalog;
  const listener = {
    principal: ownerOf(principal),
    session: session.id,
    wanted: EVERYTHING,
    revision,
    knows: session.knows,
  };
  return listen(visit, listener, (change, stream) => stream.send(JSON.stringify(notification(change, {}))));
}

/** Answers `subscriptions/listen`: the acknowledgement first, then what was asked for and nothing else. */
export async function listenToSubscription(visit: Visit, { id, params }: RpcRequest): Promise<Listening | "malformed"> {
  const filter = isRecord(params) ? params.notifications : undefined;
  if (!isRecord(filter)) return "malformed";
  const uris = filter.resourceSubscriptions ?? [];
  if (!Array.isArray(uris) || uris.length > MAX_URIS || !uris.every((uri) => typeof uri === "string"))
    return "malformed";
  const { host, principal, toolkit } = visit;
  const wanted: Wanted = {
    tools: filter.toolsListChanged === true,
    prompts: filter.promptsListChanged === true,
    resources: filter.resourcesListChanged === true,
    // Only what this path offers and the client may read: of another toolkit's resources not even changes are told.
    uris: uris.filter((uri) => {
      const found = findResource(host.catalog.resources(toolkit), uri);
      return found && lackingScopes(resourceOffer(found.entry), principal) === undefined;
    }),
  };
  const tagged = { _meta: { [META.subscriptionId]: id } };
  const acknowledged = {
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { ...tagged, notifications: honoured(wanted) },
  };
  const listener = { principal: ownerOf(principal), wanted, revision: host.catalog.revision };
  return listen(
    visit,
    listener,
    (change, stream) => stream.send(JSON.stringify(notification(change, tagged))),
    (stream) => stream.send(JSON.stringify(acknowledged)),
    (stream) => farewell(id, stream),
  );
}

/** Subscriptions, Graceful Closure, and Cancellation: one text wants a result, the other a notification. Both are sent. */
function farewell(id: RpcId, stream: EventStream): void {
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

async function listen(
  visit: Visit,
  listener: Listener,
  tell: (change: Change, stream: EventStream) => void,
  greet?: (stream: EventStream) => void,
  part?: (stream: EventStream) => void,
): Promise<Listening> {
  const changes = await visit.host.changes.listen(listener);
  if (changes === undefined) return "too many streams";
  return forward(changes, visit, (line, stream) => tell(JSON.parse(line), stream), greet, part);
}

/** An event stream that says what comes in line by line, keeps alive, and ends when either side does. */
function forward(
  source: ReadableStream<Uint8Array>,
  { host, request }: Visit,
  tell: (line: string, stream: EventStream) => void,
  greet?: (stream: EventStream) => void,
  part?: (stream: EventStream) => void,
): Response {
  const incoming = readLines(source);
  // Ends the loop below, and with it the stream behind it. A connection that breaks is told by the request only.
  const stop = () => incoming.cancel();
  const stream = eventStream(stop);
  request.signal.addEventListener("abort", stop);
  greet?.(stream);
  const relay = async () => {
    try {
      for await (const line of incoming) {
        // An empty line is a beat: comments keep a connection open, and find out that it is not.
        if (line === "") stream.comment("keep-alive");
        else tell(line, stream);
      }
    } catch {
      // The other side has gone, or the object behind the stream was restarted: clients come again.
    } finally {
      part?.(stream);
      stream.close();
    }
  };
  // Deferred, as an isolate whose client has gone runs nothing else, and the stream behind would be kept for nobody.
  host.defer(relay());
  return stream.response;
}
