/**
 * `events/stream`: a stream of the events that a client asks for (SEP-3415, Push-Based Delivery). The change feed says
 * when there is something to read. It may miss an event, so the stream also reads once a minute without being told.
 */
import { describeError } from "../../../core/lib/log.ts";
import { partitionOf } from "../../../core/model/principal.ts";
import type { EventFilter, EventOccurrence, EventPage, Outbox } from "../../../core/ports/outbox.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { json } from "../../../http/response.ts";
import type { EventStream } from "../../../http/sse.ts";
import type { RpcId, RpcRequest } from "../../../protocols/json-rpc.ts";
import { META } from "../../../protocols/mcp/modern/meta.ts";
import { listen } from "../../../protocols/mcp/transport/change-stream.ts";
import { CODE, type Rendered } from "../../../protocols/mcp/wire/codes.ts";
import { EVENT_CODE, type EventRequest, readEventRequest, refuse } from "./event-request.ts";
import { occurrence } from "./methods.ts";

/** How many events are read at once: few, because each may have 256 KiB. */
const PAGE = 20;
/** How often it is checked whether a slow client can take the next event, in milliseconds. */
const ROOM_MS = 100;
/** How long a stream goes without reading if nothing is announced, in milliseconds. */
const LOOK_MS = 60_000;

export async function stream(context: RequestContext, { id, params }: RpcRequest): Promise<Response> {
  const request = await readEventRequest(params, context, "push");
  if ("refused" in request) return refusal(id, request.refused);
  const { runtime, principal } = context;
  const partition = partitionOf(principal);
  const first = await request.outbox.read(partition, request.filter, { ...request.from, limit: PAGE });
  const reader = new Reader(request, first, id, context);
  const wanted = { tools: false, prompts: false, resources: false, uris: [], events: [request.filter.name] };
  const listener = { principal: partition, wanted, revision: runtime.catalog.revision };
  const listening = await listen(context, listener, (_, to) => reader.look(to), {
    onOpen: (to) => reader.open(to),
    onBeat: (to) => reader.beat(to),
    onRefused: (refused, to) => reader.terminate(refused, to),
    onClose: (to) => reader.close(to),
  });
  if (listening instanceof Response) return listening;
  // -32013: "`data.limit` names it". The feed's limit is on streams of all kinds.
  const full = refuse(EVENT_CODE.exhausted, "Too many open streams; close one first", { limit: "streams" }).refused;
  return refusal(id, { ...full, status: 429, headers: { "retry-after": "10" } });
}

function refusal(id: RpcId, { status, headers, ...reply }: Rendered): Response {
  return json({ jsonrpc: "2.0", id, ...reply }, status, headers);
}

/** A page whose events are text: as objects, they take many times their size, and a slow client keeps them for long. */
interface WrittenPage extends Omit<EventPage, "events"> {
  readonly events: readonly { readonly cursor: string; readonly text: string }[];
}

/** Reads the events of one stream and sends them, one after the other. It may be open for days, so it keeps little. */
class Reader {
  readonly #outbox: Outbox;
  readonly #filter: EventFilter;
  readonly #context: RequestContext;
  readonly #id: RpcId;
  /** The first page, until it is sent. */
  #first: WrittenPage | undefined;
  /** Position after what was sent or passed over. */
  #cursor: string;
  #reading = Promise.resolve();
  /** Whether the next reading has not begun yet: it will find everything that is announced until then. */
  #isWaiting = false;
  #isOver = false;
  #looked = Date.now();

  constructor({ outbox, filter, from }: EventRequest, first: EventPage, id: RpcId, context: RequestContext) {
    this.#outbox = outbox;
    this.#filter = filter;
    this.#context = context;
    this.#id = id;
    this.#first = this.#written(first);
    // If there are events, the client has not got them yet.
    this.#cursor = first.events.length > 0 ? (from.cursor ?? first.cursor) : first.cursor;
  }

  open(to: EventStream): void {
    this.#notify(to, "active", { cursor: this.#cursor, truncated: this.#first?.isTruncated ?? false });
    this.#then(() => this.#sendFirst(to), to);
    // Also read what has happened since the first page and before the stream was listening.
    this.#then(() => this.#readAll(to), to);
  }

  /** Reads new events. Call it when one was announced. */
  look(to: EventStream): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#then(() => this.#readAll(to), to);
  }

  /**
   * "The server SHOULD send a heartbeat at least every 30 seconds", as data, with the position (Lifecycle, Heartbeat).
   */
  beat(to: EventStream): void {
    this.#notify(to, "heartbeat", { cursor: this.#cursor });
    if (Date.now() - this.#looked >= LOOK_MS) this.look(to);
  }

  /** The credential has ended: "the server terminates the subscription" (Authorization, Delivery-time). */
  terminate({ status }: Response, to: EventStream): void {
    // Another status says that the credential could not be checked, or sees other tools now: the client may come again.
    if (status !== 401 && status !== 403) return;
    const error = { code: EVENT_CODE.forbidden, message: "Forbidden", data: { reason: "Access revoked" } };
    this.#notify(to, "terminated", { error });
  }

  /** "when the server terminates the stream it sends the `StreamEventsResult` as the final `data:` frame". */
  close(to: EventStream): void {
    this.#isOver = true;
    to.send(JSON.stringify({ jsonrpc: "2.0", id: this.#id, result: { resultType: "complete", _meta: {} } }));
  }

  #then(work: () => Promise<void>, to: EventStream): void {
    this.#reading = this.#reading.then(work).catch((error) => this.#failed(error, to));
    this.#context.runtime.defer(this.#reading);
  }

  #sendFirst(to: EventStream): Promise<void> {
    const first = this.#first;
    this.#first = undefined;
    return first ? this.#send(first, to) : Promise.resolve();
  }

  async #readAll(to: EventStream): Promise<void> {
    this.#isWaiting = false;
    for (let hasMore = true; hasMore && !this.#isOver; ) {
      this.#looked = Date.now();
      const partition = partitionOf(this.#context.principal);
      const from = { cursor: this.#cursor, limit: PAGE };
      const page = this.#written(await this.#outbox.read(partition, this.#filter, from));
      // "a fresh `notifications/events/active`" tells of a gap, and the stream goes on (Gaps and `truncated`).
      if (page.isTruncated) this.#notify(to, "active", { cursor: this.#cursor, truncated: true });
      await this.#send(page, to);
      hasMore = page.hasMore;
    }
  }

  #written(page: EventPage): WrittenPage {
    const textOf = (event: EventOccurrence) =>
      this.#notification("event", { ...occurrence(event), cursor: event.cursor });
    return { ...page, events: page.events.map((event) => ({ cursor: event.cursor, text: textOf(event) })) };
  }

  async #send(page: WrittenPage, to: EventStream): Promise<void> {
    for (const { cursor, text } of page.events) {
      // A stream with too many unread bytes is ended as one that nobody reads.
      while (to.isBehind && !this.#isOver) await new Promise((resume) => setTimeout(resume, ROOM_MS));
      if (this.#isOver) return;
      to.send(text);
      this.#cursor = cursor;
    }
    this.#cursor = page.cursor;
  }

  /** "a recoverable failure […]; the subscription remains active and the server retries". */
  #failed(error: unknown, to: EventStream): void {
    this.#context.runtime.log({ level: "error", message: "events not read", error: describeError(error) });
    // The next beat reads again.
    this.#looked = 0;
    this.#isWaiting = false;
    const message = "The events could not be read; the server will try again";
    if (!this.#isOver) this.#notify(to, "error", { error: { code: CODE.internal, message } });
  }

  #notify(to: EventStream, what: string, params: Record<string, unknown>): void {
    to.send(this.#notification(what, params));
  }

  #notification(what: string, params: Record<string, unknown>): string {
    const _meta = { [META.subscriptionId]: this.#id };
    return JSON.stringify({ jsonrpc: "2.0", method: `notifications/events/${what}`, params: { ...params, _meta } });
  }
}
