/**
 * The response to one request: a single JSON message, or an event stream if anything is sent before the last message or
 * the last message takes long. Whatever comes first decides, so nothing is buffered.
 */
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { jsonShared } from "../../../http/listing.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { jsonText } from "../../../http/response.ts";
import { eventStream, keepChecking, SILENT_MS } from "../../../http/sse.ts";

export interface MessageStream {
  /**
   * Sends a notification or request to the client, before the response.
   *
   * @param isOptional whether it may be skipped if the client reads too slowly
   */
  send(message: Record<string, unknown>, isOptional?: boolean): void;
  /** Closes the connection, if the client can resume: later messages are stored until it reconnects. */
  release(): void;
  /** Whether the last message was sent. Nothing is sent after it. */
  readonly isDone: boolean;
}

/** The event stream that a {@link MessageStream} writes to. */
export interface OutgoingStream {
  readonly response: Response;
  send(text: string, isOptional: boolean): void;
  /** Keeps an idle connection open. */
  beat(): void;
  /** Closes the connection if its client can resume, and stores what the client has not received. */
  detach(): void;
  /** Closes the connection as if the client had closed it. */
  cut(): void;
  /** Sends the last message, if there is one, and closes the stream. */
  end(text: string | undefined): void;
}

/** A response that the client can resume if it loses the connection. */
export interface Resumable {
  /** Name of the stream, unique in the session. */
  readonly stream: string;
  /**
   * @param isSilent whether it is opened without a message, because nothing was sent for long
   * @returns undefined if the client could not resume it
   */
  open(isSilent: boolean): OutgoingStream | undefined;
}

/** The last message as JSON text. Status and headers are used only if it is the only message. */
export interface FinalMessage {
  readonly text: string;
  readonly status?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
  /** Whether the client has cancelled the request: an event stream ends without the message. */
  readonly isUnwanted?: boolean;
  /** The same text in two parts, if most of it is bytes that responses share. */
  readonly shared?: { readonly head: string; readonly rest: Uint8Array } | undefined;
}

/** The response if there is only one message. */
export function answerOf({ text, status, headers, shared }: FinalMessage): Response {
  return shared ? jsonShared(shared.head, shared.rest) : jsonText(text, status, headers);
}

/**
 * Sends the messages of one request. Opens an event stream if anything is sent before the last message, or if nothing
 * is sent for {@link SILENT_MS}: a client that loses the connection can then resume, and proxies keep it open.
 */
export class ResponseStream implements MessageStream {
  readonly #context: RequestContext;
  readonly #resumable: Resumable | undefined;
  readonly #onDisconnect: (() => void) | undefined;
  #answer: ((response: Response) => void) | undefined;
  #stream: OutgoingStream | undefined;
  isDone = false;
  #endChecks: (() => void) | undefined;
  /** Stops the timer that opens a stream if nothing is sent. */
  #stopWaiting: (() => void) | undefined;

  /**
   * @param onDisconnect called when the client closes a stream; undefined if the request runs to its end anyway
   */
  constructor(context: RequestContext, resumable: Resumable | undefined, onDisconnect: (() => void) | undefined) {
    this.#context = context;
    this.#resumable = resumable;
    this.#onDisconnect = onDisconnect;
  }

  /** @param final never rejects */
  answer(final: MaybePromise<FinalMessage>): MaybePromise<Response> {
    if (!(final instanceof Promise)) return this.#end(final);
    return new Promise((resolve) => {
      if (this.#stream) resolve(this.#stream.response);
      else {
        this.#answer = resolve;
        const timer = setTimeout(() => this.#opened(true).beat(), SILENT_MS);
        this.#stopWaiting = () => clearTimeout(timer);
      }
      const ended = final.then((last) => resolve(this.#end(last)));
      if (this.#onDisconnect === undefined) this.#context.runtime.defer(ended);
    });
  }

  send(message: Record<string, unknown>, isOptional = false): void {
    if (!this.isDone) this.#opened().send(JSON.stringify(message), isOptional);
  }

  release(): void {
    if (this.isDone) return;
    this.#stream ??= this.#begin(this.#resumable?.open(false));
    this.#stream?.detach();
  }

  /** Called when the client has reconnected: from then on, its messages go through the mailbox. */
  resume(): void {
    if (!this.isDone) this.#stream?.detach();
  }

  #end(final: FinalMessage): Response {
    this.isDone = true;
    this.#stopWaiting?.();
    if (this.#stream === undefined && !final.isUnwanted) return answerOf(final);
    // A stream that is opened only to be closed has nothing to resume.
    this.#stream ??= plainStream(() => {});
    this.#endChecks?.();
    this.#stream.end(final.isUnwanted ? undefined : final.text);
    return this.#stream.response;
  }

  #opened(isSilent = false): OutgoingStream {
    if (this.#stream) return this.#stream;
    return this.#begin(this.#resumable?.open(isSilent) ?? plainStream(() => this.#onDisconnect?.()));
  }

  #begin<Stream extends OutgoingStream | undefined>(stream: Stream): Stream {
    if (stream === undefined) return stream;
    this.#stopWaiting?.();
    this.#stream = stream;
    // The beat keeps proxies from closing a silent stream, and detects that the client is gone. After a cut, the call
    // continues as it would after a broken connection.
    this.#endChecks = keepChecking(
      this.#context,
      () => stream.cut(),
      () => stream.beat(),
    );
    this.#answer?.(stream.response);
    return stream;
  }
}

function plainStream(onDisconnect: () => void): OutgoingStream {
  const stream = eventStream(onDisconnect);
  return {
    response: stream.response,
    send(text, isOptional) {
      if (!(isOptional && stream.isBehind)) stream.send(text);
    },
    beat: () => stream.comment("keep-alive"),
    detach() {},
    cut() {
      stream.close();
      onDisconnect();
    },
    end(text) {
      if (text !== undefined) stream.send(text);
      stream.close();
    },
  };
}
