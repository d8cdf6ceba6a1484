/** The relay: messages between connections of one client that may reach different isolates. Interface only. */

export interface RelayEntry {
  /** Position in the stream, from 1. */
  readonly at: number;
  readonly text: string;
}

/** A running request, as other connections of its client refer to it. */
export interface RunningRequest {
  /** Unique among all running requests. */
  readonly call: string;
  /** The client's id for the request, which a later request may reuse. */
  readonly request: string;
  /** The stream from which a client can fetch the response later, if there is one. */
  readonly stream: string | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
}

/** A signal to a running request: the client cancelled it, or reconnected to resume its stream. */
export type RelaySignal = "cancelled" | "resume";

/** Messages between connections. Each client has its own box. */
export interface Relay {
  /** Opens a question: from now on, one answer to it is accepted. */
  open(box: string, question: string): Promise<void>;
  /** Waits for the answer to a question. Resolves with undefined if the box is closed first. */
  take(box: string, question: string): Promise<string | undefined>;
  /** Answers an open question. Ignored if the question is not open or has been answered. */
  answer(box: string, question: string, answer: string): Promise<void>;
  /** Cancels the requests with this id that are running now. Does not affect requests that start later. */
  cancel(box: string, request: string): Promise<void>;
  /** Waits for the next signal to a request. Resolves with undefined after {@link Relay.unwatch}. */
  watch(box: string, running: RunningRequest): Promise<RelaySignal | undefined>;
  unwatch(box: string, call: string): Promise<void>;
  /**
   * Stores entries of a stream, except those that it already has. `done` means that none will follow. Entries are kept
   * for some minutes, up to {@link MAX_KEPT_PER_STREAM} characters per stream.
   *
   * @returns whether somebody follows the stream
   */
  post(box: string, stream: string, entries: readonly RelayEntry[], done: boolean): Promise<boolean>;
  /**
   * Streams the messages after position `after`, past and future, as one `position text` line each. Signals the running
   * request to resume here. If it does not respond within seconds, or the position never existed, the last line is
   * {@link LOST}. Replaces an earlier follower.
   *
   * @returns undefined if the stream is done and has nothing after that position
   */
  follow(box: string, stream: string, after: number): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Deletes everything in the box, ends all waits, and cancels every running request. */
  close(box: string): Promise<void>;
}

/** Most characters kept per stream. The oldest messages are dropped first; the last one is always kept. */
export const MAX_KEPT_PER_STREAM = 1_000_000;

/** The line that means that a stream cannot be followed. */
export const LOST = "lost";
