/** The stream that a session opens with GET (2025-11-25, basic/transports, Listening for Messages). */

import { partitionOf } from "../../../../core/model/principal.ts";
import { LOST } from "../../../../core/ports/relay.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import type { EventStream } from "../../../../http/sse.ts";
import { takesStreams } from "../../transport/exchange.ts";
import { forward, type Listening, listen, mayRead, notification } from "../../transport/news.ts";
import { refuse, tooManyStreams } from "../../transport/refuse.ts";
import { END, eventId, readEventId } from "./event-id.ts";
import { lostAnswer, RETRY_MS } from "./resumable-stream.ts";
import { knownSession, type McpSession, relayBox, unknownSession } from "./sessions.ts";

const EVERYTHING = { tools: true, prompts: true, resources: true, uris: [] };
const NOTHING = { tools: false, prompts: false, resources: false, uris: [] };

/** @returns undefined where there is nothing to listen to */
export async function getStream(context: RequestContext): Promise<Response | undefined> {
  const handle = context.headers.get("mcp-session-id");
  // HEAD would open a stream that nobody reads.
  if (handle === null || context.request.method === "HEAD") return undefined;
  if (!takesStreams(context)) return refuse(406, "GET answers with text/event-stream only");
  const session = await knownSession(context, handle);
  if (session === undefined) return unknownSession();
  const listening = await listenInSession(context, session);
  if (listening instanceof Response) return listening;
  return listening === "too many streams" ? tooManyStreams(undefined) : refuse(400, NOT_RESUMED[listening]);
}

/** Not 404: that would end the client's session. */
const NOT_RESUMED = {
  "unknown event": "Last-Event-ID names no event of this session; open the stream without it",
  "nothing follows": "Nothing follows the event that Last-Event-ID names: its stream is over",
};

/** The stream of a session: what its subscriptions and the catalogue bring, or what it missed on an earlier stream. */
async function listenInSession(
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
