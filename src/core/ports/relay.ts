/** Messages between connections of one client that may have reached different isolates. Interface only. */

/** One message of a stream. */
export interface RelayEntry {
  /** Its position in the stream, from 1. */
  readonly at: number;
  readonly text: string;
}

/** A request that runs, as the connections of its client know it. */
export interface RunningRequest {
  /** Unique among all that run. */
  readonly call: string;
  /** The client's id of the request, which a later request may have again. */
  readonly request: string;
  /** The stream that its answer may be picked up from, if there is one. */
  readonly stream: string | undefined;
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
}

/** What a running request is told: it was cancelled, or its client came back for its stream. */
export type RelaySignal = "cancelled" | "resume";

/** A box belongs to one client. */
export interface Relay {
  /** Opens a question: from now on one answer to it is taken. */
  open(box: string, question: string): Promise<void>;
  /** Resolves with the answer to a question, once there is one; with undefined if the box is closed before. */
  take(box: string, question: string): Promise<string | undefined>;
  /** Answers a question that is open. What nobody asked for, or was answered before, is thrown away. */
  answer(box: string, question: string, answer: string): Promise<void>;
  /** Tells those who run a request of this id at this moment. Means nothing to a request that begins later. */
  cancel(box: string, request: string): Promise<void>;
  /** Resolves with the next signal for a request, undefined once it is {@link Relay.unwatch}ed. */
  watch(box: string, running: RunningRequest): Promise<RelaySignal | undefined>;
  unwatch(box: string, call: string): Promise<void>;
  /**
   * Leaves entries of a stream; `done` says that none will follow. Each is kept for some minutes, and of a stream up to
   * {@link MAX_KEPT_PER_STREAM}.
   */
  post(box: string, stream: string, entries: readonly RelayEntry[], done: boolean): Promise<void>;
  /**
   * Streams the messages after position `after`, past and future, one `position text` line each. Tells the running
   * request to resume here; if it does not reply within seconds, or the position never existed, the last line is
   * {@link LOST}. Replaces any earlier follower.
   *
   * @returns undefined if the stream is done and has nothing after that position
   */
  follow(box: string, stream: string, after: number): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Throws away what was left, lets go of all who wait, and tells every request that runs that it is cancelled. */
  close(box: string): Promise<void>;
}

/** Characters of one stream that are kept: the oldest messages go first, the last one stays in any case. */
export const MAX_KEPT_PER_STREAM = 1_000_000;

/** The line that says that a stream cannot be followed. */
export const LOST = "lost";
