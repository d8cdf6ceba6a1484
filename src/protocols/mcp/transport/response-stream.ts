/**
 * Where the messages about one request go: a single JSON answer while nothing else is said, an event stream from the
 * first thing that is. Decided by what happens, without buffering.
 */
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { jsonShared } from "../../../http/listing.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { jsonText } from "../../../http/response.ts";
import { eventStream, keepChecking } from "../../../http/sse.ts";

export interface MessageStream {
  /**
   * A notification or request of ours to the client, ahead of the answer.
   *
   * @param mayBeMissed whether it is left out for a client that reads more slowly than is said
   */
  send(message: Record<string, unknown>, mayBeMissed?: boolean): void;
  /** Closes the connection; what is said from then on waits for the client to come back. */
  release(): void;
  /** Whether the last message has been said: nothing more goes out. */
  readonly isDone: boolean;
}

/** The event stream behind it. */
export interface OutgoingStream {
  readonly response: Response;
  send(text: string, mayBeMissed: boolean): void;
  /** Keeps the connection open while nothing is said. */
  beat(): void;
  /** Closes the connection, if its client can come back: for what it has not heard, and what is still to come. */
  leave(): void;
  /** Closes the connection, as if the client had. */
  cut(): void;
  /** Sends the last message, and closes. */
  end(text: string): void;
}

/** Where an answer may be picked up, should its connection be lost. */
export interface Resumable {
  /** Name of its stream, unique in the session. */
  readonly stream: string;
  open(): OutgoingStream;
}

/** The last message, as JSON text; status and headers count only where it is the only one. */
export interface FinalMessage {
  readonly text: string;
  readonly status?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
  /** The same text, where most of it is bytes that answers share. */
  readonly shared?: { readonly head: string; readonly rest: Uint8Array } | undefined;
}

/** The only message to its client. */
export function answerOf({ text, status, headers, shared }: FinalMessage): Response {
  return shared ? jsonShared(shared.head, shared.rest) : jsonText(text, status, headers);
}

/** Carries one request's messages to its client: an event stream is opened when there is something to say early. */
export class ResponseStream implements MessageStream {
  readonly #context: RequestContext;
  readonly #resumable: Resumable | undefined;
  readonly #gone: (() => void) | undefined;
  #answer: ((response: Response) => void) | undefined;
  #stream: OutgoingStream | undefined;
  isDone = false;
  #endChecks: (() => void) | undefined;

  /**
   * @param gone called when the client has closed a stream; left out if that does not mean that it has lost interest:
   *             then the request is seen to its end
   */
  constructor(context: RequestContext, resumable: Resumable | undefined, gone: (() => void) | undefined) {
    this.#context = context;
    this.#resumable = resumable;
    this.#gone = gone;
  }

  /** @param final never rejects */
  answer(final: MaybePromise<FinalMessage>): MaybePromise<Response> {
    if (!(final instanceof Promise)) return this.#end(final);
    return new Promise((resolve) => {
      if (this.#stream) resolve(this.#stream.response);
      else this.#answer = resolve;
      const ended = final.then((last) => resolve(this.#end(last)));
      if (this.#gone === undefined) this.#context.runtime.defer(ended);
    });
  }

  send(message: Record<string, unknown>, mayBeMissed = false): void {
    if (!this.isDone) this.#opened().send(JSON.stringify(message), mayBeMissed);
  }

  release(): void {
    if (this.#resumable !== undefined && !this.isDone) this.#opened().leave();
  }

  /** The client has come back for its stream on another connection: the mailbox's. */
  resume(): void {
    if (!this.isDone) this.#stream?.leave();
  }

  #end(final: FinalMessage): Response {
    this.isDone = true;
    if (this.#stream === undefined) return answerOf(final);
    this.#endChecks?.();
    this.#stream.end(final.text);
    return this.#stream.response;
  }

  #opened(): OutgoingStream {
    if (this.#stream) return this.#stream;
    const stream = this.#resumable?.open() ?? plainStream(() => this.#gone?.());
    this.#stream = stream;
    // A beat keeps proxies from closing a stream that is silent, and finds out that nobody listens any more. After a cut
    // the call goes on as it does when a connection breaks.
    this.#endChecks = keepChecking(
      this.#context,
      () => stream.cut(),
      () => stream.beat(),
    );
    this.#answer?.(stream.response);
    return stream;
  }
}

function plainStream(gone: () => void): OutgoingStream {
  const stream = eventStream(gone);
  return {
    response: stream.response,
    send(text, mayBeMissed) {
      if (!(mayBeMissed && stream.isBehind)) stream.send(text);
    },
    beat: () => stream.comment("keep-alive"),
    leave() {},
    cut() {
      stream.close();
      gone();
    },
    end(text) {
      stream.send(text);
      stream.close();
    },
  };
}
