/** Keeps streams open for change notifications. Each era decides who may listen, and to which changes. */

import { type Lines, readLines } from "../../../core/lib/read-lines.ts";
import type { Published } from "../../../core/model/change.ts";
import type { Listener } from "../../../core/ports/change-feed.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { type EventStream, eventStream } from "../../../http/sse.ts";

/** Minimum time between two checks of a stream's credential, because beats can come faster. */
const RECHECK_MS = 5_000;
/** Milliseconds between two checks whether a slow client has room for the next message. */
const ROOM_MS = 100;

export type Listening = Response | "too many streams";

/** Whether this path offers the resource and the principal may read it. If not, its changes must stay hidden. */
export function mayRead(context: RequestContext, uri: string): boolean {
  return context.runtime.subscribable?.(uri, context) !== undefined;
}

/** The notification of a change. @returns undefined for changes that are not sent as notifications */
export function notification(change: Published, tagged: Record<string, unknown>): Record<string, unknown> | undefined {
  switch (change.of) {
    case "tools":
    case "prompts":
    case "resources":
      return { jsonrpc: "2.0", method: `notifications/${change.of}/list_changed`, params: tagged };
    case "resource":
      return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { ...tagged, uri: change.uri } };
    case "event":
    case "task":
      return undefined;
  }
}

interface StreamOptions {
  readonly onOpen?: (stream: EventStream) => void;
  readonly onClose?: (stream: EventStream) => void;
  /** Sends something in place of a keep-alive comment. */
  readonly onBeat?: (stream: EventStream) => void;
  /** Tells the client why the stream ends, if its credential is no longer valid or could not be checked. */
  readonly onRefused?: (refused: Response, stream: EventStream) => void;
  /** A separate source of heartbeats, if the lines do not include them. */
  readonly heartbeat?: ReadableStream<Uint8Array>;
}

export async function listen(
  context: RequestContext,
  listener: Listener,
  onChange: (change: Published, stream: EventStream) => void,
  options?: StreamOptions,
): Promise<Listening> {
  const changes = await context.runtime.changeFeed.listen(listener, (uri) =>
    context.runtime.subscribable?.(uri, context),
  );
  if (changes === undefined) return "too many streams";
  return forward(context, changes, (line, stream) => onChange(JSON.parse(line), stream), options);
}

/**
 * Opens an event stream that forwards lines as they arrive. It sends keep-alive comments, and ends when either side
 * ends or when the principal's credential is no longer valid.
 */
export function forward(
  context: RequestContext,
  source: ReadableStream<Uint8Array>,
  onLine: (line: string, stream: EventStream) => void,
  { onOpen, onClose, onBeat, onRefused, heartbeat }: StreamOptions = {},
): Response {
  const incoming = readLines(source);
  const beating = heartbeat && readLines(heartbeat);
  // Ends the loops below and their sources. Only the request's signal shows that a connection has broken.
  let isOver = false;
  const stop = () => {
    isOver = true;
    incoming.cancel();
    beating?.cancel();
  };
  // A client that reads change notifications too slowly is disconnected. Stored messages are written all at once,
  // faster than any client reads them, so they need room.
  const stream = eventStream(stop, ": ", beating ? undefined : 0);
  context.request.signal.addEventListener("abort", stop);
  onOpen?.(stream);
  let checked = Date.now();
  let wasBehind = false;
  // Comments keep the connection open, and detect that it has closed.
  const beat = async () => {
    // Reading a large message takes time: only a client that is still behind at the next beat has stopped reading.
    const isReading = stream.isBehind && !wasBehind;
    wasBehind = stream.isBehind;
    if (isReading) return;
    if (onBeat) onBeat(stream);
    else stream.comment("keep-alive");
    if (Date.now() - checked < RECHECK_MS) return;
    checked = Date.now();
    const refused = await context.recheck(0);
    if (refused === undefined) return;
    onRefused?.(refused, stream);
    stop();
  };
  const relay = async (lines: Lines) => {
    try {
      for await (const line of lines) {
        // Leave stored messages in the mailbox until the client reads on. The beats detect whether it is still there.
        while (beating && line !== "" && stream.isBehind && !isOver) await new Promise((go) => setTimeout(go, ROOM_MS));
        // An empty line is a beat.
        await (line === "" ? beat() : onLine(line, stream));
      }
    } catch {
      // The source has ended, or its object was restarted. Clients reconnect.
    }
  };
  const relayAll = async () => {
    await Promise.race([relay(incoming), ...(beating ? [relay(beating)] : [])]);
    stop();
    onClose?.(stream);
    stream.close();
  };
  // Without `defer`, the runtime would stop this when the client disconnects, and the source would never be closed.
  context.runtime.defer(relayAll());
  return stream.response;
}
