/** Server-sent events (WHATWG HTML, section 9.2): a response whose body is written event by event. */

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
  close(): void;
}

export const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/**
 * @param gone called once when the client closes the stream before we do
 * @param colon separator of name and value: the space is optional, and the Dart client accepts none
 */
export function eventStream(gone: () => void, headers?: Record<string, string>, colon: ": " | ":" = ": "): EventStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
    cancel() {
      controller = undefined;
      gone();
    },
  });
  const write = (text: string) => controller?.enqueue(encoder.encode(text));
  return {
    response: new Response(body, { headers: headers ? { ...SSE_HEADERS, ...headers } : SSE_HEADERS }),
    send: (data, event) => write(`${event === undefined ? "" : `event${colon}${event}\n`}data${colon}${data}\n\n`),
    sendWithId: (data, id) => write(`id: ${id}\ndata: ${data}\n\n`),
    prime: (id, retryMs) => write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`),
    comment: (text) => write(`: ${text}\n\n`),
    close() {
      controller?.close();
      controller = undefined;
    },
  };
}
