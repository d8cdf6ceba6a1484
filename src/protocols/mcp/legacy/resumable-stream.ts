/**
 * An event stream that its client can resume (2025-11-25, basic/transports, Resumability and Redelivery). While the
 * request runs, its messages are kept in memory, because a connection may be dead long before anybody notices. They are
 * stored in the mailbox when the request ends or the client reconnects. While no client follows the mailbox, later
 * messages stay in memory again, because each post costs.
 */

import { describeError } from "../../../core/lib/log.ts";
import type { RelayEntry } from "../../../core/ports/relay.ts";
import type { Runtime } from "../../../core/ports/runtime.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import { type EventStream, eventStream } from "../../../http/sse.ts";
import type { RpcId } from "../../json-rpc.ts";
import type { ConnectionSession } from "../transport/exchange.ts";
import type { OutgoingStream, Resumable } from "../transport/response-stream.ts";
import { CODE } from "../wire/codes.ts";
import { eventId, type StreamAddress, signStream } from "./event-id.ts";
import { relayBox } from "./sessions.ts";

/** Milliseconds that a client waits before it reconnects. */
const RETRY_MS = 1_000;
/** The shortest time between two posts to a client that has reconnected. The last post does not wait. */
const POST_EVERY_MS = 1_000;
/**
 * Most characters of messages that a stream keeps in memory, which all calls of an isolate share. Beyond it, progress
 * and log messages are dropped, the oldest first.
 */
const MAX_PENDING = 64_000;
/** Beyond this, the oldest message of any kind is dropped, even a question. Most questions are answered by then. */
const MAX_WITH_QUESTIONS = 250_000;
/** Maximum size of one message in a mailbox, in bytes. */
const MAX_ENTRY_BYTES = 1_900_000;

/** Whether a revision's clients can read an event without data (2025-11-25, basic/transports, Sending Messages, 6). */
function readsBareIds(revision: string): boolean {
  return revision >= "2025-11-25";
}

/**
 * Sends an id to resume from before the first message. Clients of earlier revisions get it with a ping, which all of
 * them answer. The answer is ignored.
 */
export function sendId(stream: EventStream, id: string, revision: string): void {
  if (readsBareIds(revision)) stream.prime(id, RETRY_MS);
  else stream.sendWithId(JSON.stringify({ jsonrpc: "2.0", id: `ping-${crypto.randomUUID()}`, method: "ping" }), id);
}

interface PendingEntry extends RelayEntry {
  /** True for progress and log messages. */
  readonly isOptional: boolean;
}

class ResumableStream implements OutgoingStream {
  readonly response: Response;
  readonly #runtime: Runtime;
  readonly #address: StreamAddress;
  readonly #stream = eventStream(() => this.detach());
  /** The signed name of the stream. Nothing is sent before it is ready, because each event's id begins with it. */
  readonly #named: Promise<string>;
  #pending: PendingEntry[] = [];
  #pendingLength = 0;
  #count = 0;
  #isDetached = false;
  /** Whether the client had reconnected when messages were last posted. */
  #isFollowed = false;
  #lastPost = 0;
  #nextPost: ReturnType<typeof setTimeout> | undefined;
  #isDone = false;
  /** Two queues that keep messages in order: for sending, and for posting to the mailbox. */
  #sent: Promise<void>;
  #posted: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime, address: StreamAddress, revision: string) {
    this.#runtime = runtime;
    this.#address = address;
    this.response = this.#stream.response;
    this.#named = signStream(runtime, address);
    this.#sent = this.#named
      .then((name) => sendId(this.#stream, eventId(name, 0), revision))
      .catch(() => this.detach());
  }

  send(text: string, isOptional: boolean): void {
    this.#add(text, false, isOptional);
    if (!this.#isFollowed) return;
    if (!isOptional) this.#post();
    else this.#nextPost ??= setTimeout(() => this.#post(), Math.max(0, this.#lastPost + POST_EVERY_MS - Date.now()));
  }

  beat(): void {
    this.#sent = this.#sent.then(() => this.#stream.comment("keep-alive"));
  }

  detach(): void {
    this.#close();
    // Post even if there is nothing new: it tells a waiting client that the request is still running.
    this.#post(true);
  }

  cut(): void {
    this.detach();
  }

  end(text: string | undefined): void {
    this.#isDone = true;
    if (text !== undefined) this.#add(text, true);
    // The mailbox must learn that the stream is done, even if no message is left to post.
    else if (this.#pending.length === 0) this.#pending.push({ at: this.#count, text: "", isOptional: false });
    this.#close();
    this.#post();
  }

  #close(): void {
    this.#isDetached = true;
    this.#sent = this.#sent.then(() => this.#stream.close());
  }

  #add(text: string, isLast: boolean, isOptional = false): void {
    this.#count += 1;
    const at = this.#count;
    this.#buffer({ at, text, isOptional }, isLast);
    if (this.#isDetached) return;
    const send = async () => {
      const id = eventId(await this.#named, at);
      if (!(isOptional && this.#stream.isBehind)) this.#stream.sendWithId(text, id);
    };
    this.#sent = this.#sent.then(send).catch(() => {});
  }

  #buffer({ at, text, isOptional }: PendingEntry, isLast: boolean): void {
    if (isOptional && text.length > MAX_PENDING) return;
    // UTF-8 takes at most 3 bytes per code unit, so most texts need not be encoded to know that they fit.
    const isTooLarge = text.length * 3 > MAX_ENTRY_BYTES && new TextEncoder().encode(text).length > MAX_ENTRY_BYTES;
    // If a message is too large for the mailbox, replace it if it is the response, and drop it if it is not.
    if (isTooLarge && !isLast) return;
    const stored = isTooLarge ? lostAnswer(this.#address, TOO_LARGE) : text;
    this.#pending.push({ at, text: stored, isOptional });
    this.#pendingLength += stored.length;
    while (this.#pendingLength > MAX_PENDING) {
      const optional = this.#pending.findIndex((entry) => entry.isOptional);
      // Keep the last message: it may be the response, which may be larger than the limit.
      if (optional < 0 && (this.#pendingLength <= MAX_WITH_QUESTIONS || this.#pending.length === 1)) return;
      const oldest = Math.max(0, optional);
      for (const { text } of this.#pending.splice(oldest, 1)) this.#pendingLength -= text.length;
    }
  }

  /** @param always post even if there are no messages */
  #post(always = false): void {
    const { log, defer } = this.#runtime;
    if (this.#nextPost !== undefined) clearTimeout(this.#nextPost);
    this.#nextPost = undefined;
    this.#lastPost = Date.now();
    this.#posted = this.#posted
      .then(() => this.#postPending(always))
      .catch((error) => log({ level: "error", message: "entry not kept", error: describeError(error) }));
    defer(this.#posted);
  }

  /** Posts all pending messages at once, including those sent during an earlier post. */
  async #postPending(always: boolean): Promise<void> {
    const entries = this.#pending;
    if (entries.length === 0 && !always) return;
    this.#pending = [];
    this.#pendingLength = 0;
    const { box, stream } = this.#address;
    const posted = entries.map(({ at, text }) => ({ at, text }));
    this.#isFollowed = await this.#runtime.relay.post(box, stream, posted, this.#isDone);
  }
}

/** A response that can be resumed. Its stream gets a name only when it is opened or watched. */
export class ResumableAnswer implements Resumable {
  readonly #context: RequestContext;
  readonly #session: ConnectionSession;
  readonly #request: RpcId;
  #stream: string | undefined;

  constructor(context: RequestContext, session: ConnectionSession, request: RpcId) {
    this.#context = context;
    this.#session = session;
    this.#request = request;
  }

  get stream(): string {
    this.#stream ??= crypto.randomUUID();
    return this.#stream;
  }

  open(isSilent: boolean): OutgoingStream | undefined {
    const { revision } = this.#session;
    if (!isSilent && !readsBareIds(revision)) return undefined;
    const { runtime, principal, toolkit } = this.#context;
    const box = relayBox(this.#context, this.#session);
    const address = { box, stream: this.stream, request: this.#request, scopes: principal.scopes, toolkit };
    return new ResumableStream(runtime, address, revision);
  }
}

const TOO_LARGE = "The connection was lost, and the result is too large to be stored for a new one";

/** The response to a request whose actual response is no longer available. */
export function lostAnswer({ request }: StreamAddress, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: request, error: { code: CODE.internal, message } });
}
