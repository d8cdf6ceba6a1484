/**
 * Where the messages about one request go: a single JSON answer while nothing else is said, an event stream from the
 * first thing that is. Decided by what happens, without buffering. A stream that was let go, or lost, goes on in a
 * mailbox, where its session may pick it up (2025-11-25, basic/transports, Resumability and Redelivery).
 */
import { describeError } from "../../core/log.ts";
import { jsonText, type Visit } from "../http.ts";
import { type EventStream, eventStream } from "../sse.ts";

/** Milliseconds that a client waits before it comes back for a stream that was let go. */
const RETRY_MS = 1_000;

const BEAT_MS = 15_000;

export interface Channel {
  /** A notification or request of ours to the client, ahead of the answer. */
  send(message: Record<string, unknown>): void;
  /** Closes the connection; what is said from then on waits for the client to come back. */
  release(): void;
}

/** The last message, as JSON text; status and headers count only where it is the only one. */
export interface Final {
  readonly text: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

/** Where a stream may be picked up again. */
export interface Resumable {
  readonly box: string;
  readonly key: string;
}

/**
 * @param gone  called when the client has closed a stream that cannot be picked up again
 * @param begin never rejects
 */
export function converse(
  visit: Visit,
  resumable: Resumable | undefined,
  gone: () => void,
  begin: (channel: Channel) => Promise<Final>,
): Promise<Response> {
  const { host } = visit;
  let stream: EventStream | undefined;
  let released = false;
  let beats: number | null = null;
  // Posts are queued: entries of one stream keep their order.
  let posted: Promise<void> = Promise.resolve();
  const post = (entries: string[], done: boolean) => {
    if (resumable === undefined) return;
    const { box, key } = resumable;
    posted = posted
      .then(() => host.mail.post(box, key, entries, done))
      .catch((error) => host.log({ level: "error", message: "entry not kept", error: describeError(error) }));
    host.defer(posted);
  };

  return new Promise((resolve) => {
    const lost = () => {
      if (resumable === undefined) gone();
      released = true;
    };
    const open = () => {
      stream = eventStream(lost);
      if (resumable) stream.prime(eventId(resumable.key, 0), RETRY_MS);
      // Keeps proxies from closing a stream that is silent, and finds out that nobody listens any more.
      beats = setInterval(() => stream?.comment("keep-alive"), BEAT_MS);
      resolve(stream.response);
      return stream;
    };
    const say = (text: string, done: boolean) => {
      if (released) post([text], done);
      else (stream ?? open()).send(text);
    };
    const channel: Channel = {
      send: (message) => say(JSON.stringify(message), false),
      release() {
        if (resumable === undefined) return;
        stream ??= open();
        released = true;
        stream.close();
      },
    };
    const work = begin(channel).then(({ text, status, headers }) => {
      if (stream === undefined) return resolve(jsonText(text, status, headers));
      say(text, true);
      if (!released) stream.close();
    });
    const ended = work.finally(() => clearInterval(beats));
    if (resumable) host.defer(ended);
  });
}

/** An event id names its stream and how many entries of its mailbox came before. */
export function eventId(key: string, entries: number): string {
  return `${key}-${entries}`;
}

export function readEventId(id: string): { key: string; after: number } | undefined {
  const [, key, after] = /^([A-Za-z0-9_-]+)-(\d+)$/.exec(id) ?? [];
  return key === undefined ? undefined : { key, after: Number(after) };
}
