/** The stream that a client opens with GET in a session (2025-11-25, basic/transports, Listening for Messages). */

import type { Published } from "../../../core/model/change.ts";
import { partitionOf } from "../../../core/model/principal.ts";
import { LOST } from "../../../core/ports/relay.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { EventStream } from "../../../http/sse.ts";
import { forward, type Listening, listen, mayRead, notification } from "../transport/change-stream.ts";
import { refuse, tooManyStreams } from "../transport/error-response.ts";
import { takesStreams } from "../transport/exchange.ts";
import { END, eventId, readEventId } from "./event-id.ts";
import { lostAnswer, sendId } from "./resumable-stream.ts";
import { knownSession, type McpSession, relayBox, unknownSession } from "./sessions.ts";

const EVERYTHING = { tools: true, prompts: true, resources: true, uris: [] };
const NOTHING = { tools: false, prompts: false, resources: false, uris: [] };

/** @returns undefined if the client has no session to listen to */
export async function getStream(context: RequestContext): Promise<Response | undefined> {
  const handle = context.headers.get("mcp-session-id");
  // HEAD would open a stream without a reader.
  if (handle === null || context.request.method === "HEAD") return undefined;
  if (!takesStreams(context)) return refuse(406, "GET responds with an event stream: send Accept: text/event-stream");
  const session = await knownSession(context, handle);
  if (session === undefined) return unknownSession();
  const listening = await listenInSession(context, session);
  return listening instanceof Response ? listening : tooManyStreams(undefined);
}

// The status is 400: a 404 would end the client's session.
const UNKNOWN_EVENT = "Last-Event-ID is not the id of an event in this session; open the stream without it";
const NOTHING_FOLLOWS = "No events follow Last-Event-ID, because its stream has ended";

/** Sends changes that the session has subscribed to and changes of the catalogue, or resumes an earlier stream. */
async function listenInSession(context: RequestContext, session: McpSession): Promise<Listening> {
  const { headers, runtime, principal, toolkit } = context;
  const lastEvent = headers.get("last-event-id");
  if (lastEvent) return resume(context, session, lastEvent);
  const { id, knows } = session;
  const own = { id, scopes: principal.scopes, toolkits: toolkit === undefined ? principal.toolkits : [toolkit] };
  const { revision } = runtime.catalog;
  const listener = { principal: partitionOf(principal), session: own, wanted: EVERYTHING, revision, knows };
  // The session may have subscribed with a token that had more scopes than this one.
  const onChange = (change: Published, stream: EventStream) => {
    if (change.of === "resource" && !mayRead(context, change.uri)) return;
    const told = notification(change, {});
    if (told) stream.send(JSON.stringify(told));
  };
  // Some proxies and clients wait for the first byte before they take the stream as open.
  return listen(context, listener, onChange, { onOpen: (stream) => stream.comment("keep-alive") });
}

/**
 * Sends the messages that a client missed on a lost stream, and the later ones (Resumability and Redelivery).
 */
async function resume(context: RequestContext, session: McpSession, id: string): Promise<Listening> {
  const { runtime, principal, toolkit } = context;
  const box = relayBox(context, session);
  const resumed = await readEventId(runtime, box, id, { scopes: principal.scopes, toolkit });
  if (resumed === undefined) return refuse(400, UNKNOWN_EVENT);
  const { name, stream: lost, after } = resumed;
  if (after === END) return refuse(400, NOTHING_FOLLOWS);
  // This listener receives no changes. It counts as one of the principal's streams, and supplies the heartbeat.
  const listener = { principal: partitionOf(principal), wanted: NOTHING, revision: runtime.catalog.revision };
  const heartbeat = await runtime.changeFeed.listen(listener);
  if (heartbeat === undefined) return "too many streams";
  const entries = await runtime.relay.follow(box, lost, after).catch(async (error) => {
    await heartbeat.cancel();
    throw error;
  });
  if (entries === undefined) {
    await heartbeat.cancel();
    return refuse(400, NOTHING_FOLLOWS);
  }
  const onLine = (line: string, stream: EventStream) => {
    const at = Number.parseInt(line, 10);
    if (line === LOST) stream.sendWithId(lostAnswer(resumed, "The call was lost"), eventId(name, END));
    else stream.sendWithId(line.slice(line.indexOf(" ") + 1), eventId(name, at));
  };
  // Send the id again: clients resume from the last id that they received on this connection.
  const onOpen = (stream: EventStream) => sendId(stream, eventId(name, after), session.revision);
  return forward(context, entries, onLine, { onOpen, heartbeat });
}
