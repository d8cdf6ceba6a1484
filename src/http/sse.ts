/** Server-sent events (WHATWG HTML, section 9.2): a response whose body is written one event at a time. */
import type { RequestContext } from "./request-context.ts";

export type EventStream = ReturnType<typeof eventStream>;

/** Bytes that may be queued for a client before optional messages are skipped. */
const MAX_WAITING = 1024 * 1024;
/** Bytes that may be queued beyond {@link MAX_WAITING} before the client is considered gone. */
const MAX_BEHIND = 8 * 1024 * 1024;

const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/**
 * @param onDisconnect called once if the client closes the stream before the server does, or stops reading it
 * @param colon separator of field name and value: the space is optional, and OpenTool's Dart client does not accept it
 * @param maxBehind bytes that may be queued beyond {@link MAX_WAITING} before the client is considered gone
 */
export function eventStream(onDisconnect: () => void, colon: ": " | ":" = ": ", maxBehind = MAX_BEHIND) {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const end = () => {
    controller = undefined;
    onDisconnect();
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
  // The name "message" is the default. It is written because some clients ignore events that do not have it.
  const format = (data: string, event = "message") => `event${colon}${event}\ndata${colon}${oneLine(data)}\n\n`;
  const write = (text: string) => {
    if (controller === undefined) return;
    if (room() > -maxBehind) return controller.enqueue(encoder.encode(text));
    // An error discards the queue. Closing would keep it for as long as the connection lasts.
    controller.error(new Error("The client does not read the stream"));
    end();
  };
  return {
    response: new Response(body, { headers: SSE_HEADERS }),
    /** `data` must be JSON text in a single line. Does nothing if the client has disconnected. */
    send: (data: string, event?: string) => write(format(data, event)),
    sendWithId: (data: string, id: string) => write(`id: ${id}\n${format(data)}`),
    /** Sends an event without data: an id to resume from, and how long to wait before reconnecting, in milliseconds. */
    prime: (id: string, retryMs: number) => write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`),
    /** Sends a comment line, which clients ignore. It keeps proxies from closing an idle stream. */
    comment: (text: string) => write(`: ${text}\n\n`),
    /** Sends an empty line. It keeps proxies from closing an idle stream, for clients that do not know comments. */
    emptyLine: () => write("\n"),
    /** Whether the client reads so slowly that optional messages should be skipped. */
    get isBehind() {
      return room() <= 0;
    },
    /** @param last sent even if much is queued, because the client had no time to read what was written just before */
    close(last?: { readonly data: string; readonly event: string }) {
      if (last) controller?.enqueue(encoder.encode(format(last.data, last.event)));
      controller?.close();
      controller = undefined;
    },
  };
}

/** Line ends of Unicode that are not line ends of event streams. JSON itself escapes all others. */
const LINE_ENDS = /[\u0085\u2028\u2029]/;

/**
 * Escapes {@link LINE_ENDS}: clients that split lines as Python's `splitlines` does would cut the event there.
 *
 * @param json JSON text, in which they occur only inside strings
 */
function oneLine(json: string): string {
  if (!LINE_ENDS.test(json)) return json;
  return json.replaceAll("\u0085", "\\u0085").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Milliseconds after which a response begins, even if none of its contents are known. */
export const SILENT_MS = 10_000;
/** Milliseconds between two signs of life. Some proxies close a connection that is silent for 30 seconds. */
export const BEAT_MS = 15_000;

/**
 * Checks the credential every 15 seconds while a stream is open, so that a stream with a revoked credential ends.
 *
 * @param onRevoked called once, as soon as the credential is no longer valid
 * @param onBeat called before each check
 * @returns a function that ends the checks
 */
export function keepChecking(context: RequestContext, onRevoked: () => void, onBeat?: () => void): () => void {
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const timer = setInterval(async () => {
    onBeat?.();
    const refused = await context.recheck(0);
    // 503 means that a store could not be reached, which says nothing about the credential.
    if (refused === undefined || refused.status === 503 || isOver) return;
    end();
    onRevoked();
  }, BEAT_MS);
  return end;
}
