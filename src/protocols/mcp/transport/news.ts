/** Streams that stay open for news of what is offered. Who listens, and what to, is each era's own. */

import type { Change } from "../../../core/model/change.ts";
import { missingScopes } from "../../../core/pipeline/authorize.ts";
import { findResource, resourceOffer, subscribedTo } from "../../../core/pipeline/resources.ts";
import { type Lines, type Listener, readLines, type Subscribed } from "../../../core/ports/change-feed.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { type EventStream, eventStream } from "../../../http/sse.ts";

/** Least time between two rechecks of a stream's credential: beats can come faster. */
const RECHECK_MS = 5_000;

export type Listening = Response | "too many streams";

/** Whether it is offered here, and the client may read it: of what it may not, not even changes are told. */
export function mayRead(context: RequestContext, uri: string): boolean {
  return readable(context, uri) !== undefined;
}

function readable({ runtime, principal, toolkit }: RequestContext, uri: string): Subscribed | undefined {
  const found = findResource(runtime.catalog, toolkit, uri);
  return found && !missingScopes(resourceOffer(found.entry), principal) ? subscribedTo(found, uri) : undefined;
}

export function notification(change: Change, tagged: Record<string, unknown>): Record<string, unknown> {
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

export async function listen(
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
export function forward(
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
