/** Server-sent events (WHATWG HTML, section 9.2): a response whose body is written event by event. */
import type { RequestContext } from "./request-context.ts";

export interface EventStream {
  readonly response: Response;
  /** `data` must be one line: JSON text. Does nothing once the client has gone. */
  send(data: string, event?: string): void;
  /** The same with an id to come back with. */
  sendWithId(data: string, id: string): void;
  /** An event without data that gives the stream an id to come back with, and the milliseconds to wait before. */
  prime(id: string, retryMs: number): void;
  /** A line that clients skip; keeps proxies from closing an idle stream. */
  comment(text: string): void;
  /** Whether so much waits to be read that what can be missed is better left out. */
  readonly isBehind: boolean;
  /** @param last goes out however much waits: nobody has had time to read what was written just before it */
  close(last?: { readonly data: string; readonly event: string }): void;
}

/** Bytes that may wait for a client to read them, and bytes beyond these that an answer may leave: then it has gone. */
const MAX_WAITING = 1024 * 1024;
const MAX_BEHIND = 8 * 1024 * 1024;

const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/**
 * @param gone called once when the client closes the stream before we do
 * @param colon separator of name and value: the space is optional, and the Dart client accepts none
 * @param maxBehind bytes that may wait beyond {@link MAX_WAITING} before the client is taken for gone
 */
export function eventStream(gone: () => void, colon: ": " | ":" = ": ", maxBehind = MAX_BEHIND): EventStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = () => {
    controller = undefined;
    gone();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
      },
      cancel: end,
    },
    { highWaterMark: MAX_WAITING, size: (chunk) => chunk.byteLength },
  );
  const room = () => controller?.desiredSize ?? 0;
  const named = (data: string, event?: string) =>
    `${event === undefined ? "" : `event${colon}${event}\n`}data${colon}${data}\n\n`;
  const write = (text: string) => {
    if (controller === undefined) return;
    if (room() > -maxBehind) return controller.enqueue(encoder.encode(text));
    // Which forgets what waits: closing it would keep that for as long as the connection lasts.
    controller.error(new Error("Nobody reads the stream"));
    end();
  };
  return {
    response: new Response(body, { headers: SSE_HEADERS }),
    send: (data, event) => write(named(data, event)),
    sendWithId: (data, id) => write(`id: ${id}\ndata: ${data}\n\n`),
    prime: (id, retryMs) => write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`),
    comment: (text) => write(`: ${text}\n\n`),
    get isBehind() {
      return room() <= 0;
    },
    close(last) {
      if (last) controller?.enqueue(encoder.encode(named(last.data, last.event)));
      controller?.close();
      controller = undefined;
    },
  };
}

/** Often enough for proxies that close what is silent for half a minute. */
const BEAT_MS = 15_000;

/**
 * Looks at the credential again while a call's stream is open: one that is no good any more is told nothing more.
 *
 * @param cut called once the credential is no good
 * @param beat called each time, before it looks
 * @returns ends it
 */
export function keepChecking(context: RequestContext, cut: () => void, beat?: () => void): () => void {
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const timer = setInterval(async () => {
    beat?.();
    const refused = await context.recheck(0);
    // A store that is away says nothing of the credential.
    if (refused === undefined || refused.status === 503 || isOver) return;
    end();
    cut();
  }, BEAT_MS);
  return end;
}
