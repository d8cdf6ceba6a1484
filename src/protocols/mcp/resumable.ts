/**
 * A stream that its client may pick up again (2025-11-25, basic/transports, Resumability and Redelivery). What was said
 * is kept here while the request runs, and left in the mailbox when it ends, or as soon as its client comes back: a
 * connection may be dead for long before anyone knows.
 */
import type { Host } from "../../core/host.ts";
import { describeError } from "../../core/log.ts";
import type { Entry } from "../../core/mail.ts";
import { eventStream } from "../sse.ts";
import { eventId, type StreamAddress, signStream } from "./event-id.ts";
import { CODE } from "./render.ts";

/** Milliseconds that a client waits before it comes back. */
export const RETRY_MS = 1_000;
/** Characters of one stream that are kept: the oldest messages go first. The last one is kept in any case, if it fits. */
const MAX_KEPT_PER_STREAM = 1_000_000;
/** Bytes of one message that a mailbox can keep. */
const MAX_ENTRY_BYTES = 1_900_000;

export interface OutgoingStream {
  readonly response: Response;
  send(text: string, mayBeMissed: boolean): void;
  /** Keeps the connection open while nothing is said. */
  beat(): void;
  /** Closes the connection. The client finds what it has not heard, and what is still to come, in the mailbox. */
  leave(): void;
  /** Closes the connection, as if the client had. */
  cut(): void;
  /** Sends the last message, and closes. */
  end(text: string): void;
}

export class ResumableStream implements OutgoingStream {
  readonly response: Response;
  readonly #host: Host;
  readonly #address: StreamAddress;
  readonly #stream = eventStream(() => this.leave());
  /** The stream's signed name. Nothing is sent before it is there, as each event's id begins with it. */
  readonly #named: Promise<string>;
  /** What has not been left in the mailbox. */
  #kept: Entry[] = [];
  #keptLength = 0;
  #said = 0;
  #hasLeft = false;
  /** Sends and posts are queued: messages keep their order. */
  #sent: Promise<void>;
  #posted: Promise<void> = Promise.resolve();

  constructor(host: Host, address: StreamAddress) {
    this.#host = host;
    this.#address = address;
    this.response = this.#stream.response;
    this.#named = signStream(host, address);
    this.#sent = this.#named.then((name) => this.#stream.prime(eventId(name, 0), RETRY_MS)).catch(() => this.leave());
  }

  send(text: string, mayBeMissed: boolean): void {
    this.#say(text, false, mayBeMissed);
    if (this.#hasLeft) this.#post(false);
  }

  beat(): void {
    this.#stream.comment("keep-alive");
  }

  leave(): void {
    this.#close();
    // Also if there is nothing new: it tells a client that waits for it that the request still runs.
    this.#post(false);
  }

  cut(): void {
    this.leave();
  }

  end(text: string): void {
    this.#say(text, true);
    this.#close();
    this.#post(true);
  }

  #close(): void {
    this.#hasLeft = true;
    this.#sent = this.#sent.then(() => this.#stream.close());
  }

  #say(text: string, isLast: boolean, mayBeMissed = false): void {
    this.#said += 1;
    const at = this.#said;
    this.#keep({ at, text }, isLast);
    if (this.#hasLeft) return;
    const send = async () => {
      const id = eventId(await this.#named, at);
      if (!(mayBeMissed && this.#stream.isBehind)) this.#stream.sendWithId(text, id);
    };
    this.#sent = this.#sent.then(send).catch(() => {});
  }

  #keep({ at, text }: Entry, isLast: boolean): void {
    const isTooLarge = text.length * 3 > MAX_ENTRY_BYTES && new TextEncoder().encode(text).length > MAX_ENTRY_BYTES;
    if (isTooLarge && !isLast) return;
    const kept = isTooLarge ? lostAnswer(this.#address, TOO_LARGE) : text;
    this.#kept.push({ at, text: kept });
    this.#keptLength += kept.length;
    while (this.#keptLength > MAX_KEPT_PER_STREAM && this.#kept.length > 1)
      this.#keptLength -= this.#kept.shift()?.text.length ?? 0;
  }

  #post(done: boolean): void {
    const { mail, log, defer } = this.#host;
    const { box, stream } = this.#address;
    const entries = this.#kept;
    this.#kept = [];
    this.#keptLength = 0;
    this.#posted = this.#posted
      .then(() => mail.post(box, stream, entries, done))
      .catch((error) => log({ level: "error", message: "entry not kept", error: describeError(error) }));
    defer(this.#posted);
  }
}

const TOO_LARGE = "The result is too large to be kept for a connection that was lost";

/** What a client is answered whose request has no other answer any more. */
export function lostAnswer({ request }: StreamAddress, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: request, error: { code: CODE.internal, message } });
}
