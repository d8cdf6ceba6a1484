/**
 * Where the messages about one request go: a single JSON answer while nothing else is said, an event stream from the
 * first thing that is. Decided by what happens, without buffering. A stream that was let go, or lost, goes on in a
 * mailbox, where its session may pick it up (2025-11-25, basic/transports, Resumability and Redelivery).
 */
import type { Host } from "../../core/host.ts";
import { describeError } from "../../core/log.ts";
import type { Soon } from "../../core/soon.ts";
import { jsonShared, jsonText } from "../http.ts";
import { type EventStream, eventStream } from "../sse.ts";

/** Milliseconds that a client waits before it comes back for a stream that was let go. */
const RETRY_MS = 1_000;

const BEAT_MS = 15_000;

export interface Channel {
  /** A notification or request of ours to the client, ahead of the answer. */
  send(message: Record<string, unknown>): void;
  /** Closes the connection; what is said from then on waits for the client to come back. */
  release(): void;
  /** Whether the last message has been said: nothing more goes out. */
  readonly isDone: boolean;
}

/** The last message, as JSON text; status and headers count only where it is the only one. */
export interface Final {
  readonly text: string;
  readonly status?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
  /** The same text, where most of it is bytes that answers share. */
  readonly shared?: { readonly head: string; readonly rest: Uint8Array } | undefined;
}

/** The only message to its client. */
export function answerOf({ text, status, headers, shared }: Final): Response {
  return shared ? jsonShared(shared.head, shared.rest) : jsonText(text, status, headers);
}

/** Where a stream may be picked up again. */
export interface Resumable {
  readonly box: string;
  readonly key: string;
}

/** Carries one request's messages to its client: an event stream is opened when there is something to say early. */
export class Conversation implements Channel {
  readonly #host: Host;
  readonly #resumable: Resumable | undefined;
  readonly #gone: () => void;
  #answer: ((response: Response) => void) | undefined;
  #stream: EventStream | undefined;
  #released = false;
  isDone = false;
  #beats: number | null = null;
  /** Posts are queued: entries of one stream keep their order. */
  #posted: Promise<void> | undefined;

  /** @param gone called when the client has closed a stream that cannot be picked up again */
  constructor(host: Host, resumable: Resumable | undefined, gone: () => void) {
    this.#host = host;
    this.#resumable = resumable;
    this.#gone = gone;
  }

  /** @param final never rejects */
  answer(final: Soon<Final>): Soon<Response> {
    if (!(final instanceof Promise)) return this.#end(final);
    return new Promise((resolve) => {
      if (this.#stream) resolve(this.#stream.response);
      else this.#answer = resolve;
      const ended = final.then((last) => resolve(this.#end(last)));
      if (this.#resumable) this.#host.defer(ended);
    });
  }

  send(message: Record<string, unknown>): void {
    if (this.isDone) return;
    this.#say(JSON.stringify(message), false);
  }

  release(): void {
    if (this.#resumable === undefined || this.isDone) return;
    const stream = this.#opened();
    this.#released = true;
    stream.close();
  }

  #end(final: Final): Response {
    this.isDone = true;
    if (this.#stream === undefined) return answerOf(final);
    clearInterval(this.#beats);
    this.#say(final.text, true);
    if (!this.#released) this.#stream.close();
    return this.#stream.response;
  }

  #say(text: string, done: boolean): void {
    if (this.#released) this.#post([text], done);
    else this.#opened().send(text);
  }

  #opened(): EventStream {
    if (this.#stream) return this.#stream;
    const stream = eventStream(() => {
      if (this.#resumable === undefined) this.#gone();
      this.#released = true;
    });
    this.#stream = stream;
    if (this.#resumable) stream.prime(eventId(this.#resumable.key, 0), RETRY_MS);
    // Keeps proxies from closing a stream that is silent, and finds out that nobody listens any more.
    this.#beats = setInterval(() => stream.comment("keep-alive"), BEAT_MS);
    this.#answer?.(stream.response);
    return stream;
  }

  #post(entries: string[], done: boolean): void {
    if (this.#resumable === undefined) return;
    const { mail, log, defer } = this.#host;
    const { box, key } = this.#resumable;
    this.#posted = (this.#posted ?? Promise.resolve())
      .then(() => mail.post(box, key, entries, done))
      .catch((error) => log({ level: "error", message: "entry not kept", error: describeError(error) }));
    defer(this.#posted);
  }
}

/** An event id names its stream and how many entries of its mailbox came before. */
export function eventId(key: string, entries: number): string {
  return `${key}-${entries}`;
}

export function readEventId(id: string): { key: string; after: number } | undefined {
  const [, key, after] = /^([A-Za-z0-9_-]+)-(\d+)$/.exec(id) ?? [];
  return key === undefined ? undefined : { key, after: Number(after) };
}
