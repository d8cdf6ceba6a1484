/**
 * A stream that its client may pick up again (2025-11-25, basic/transports, Resumability and Redelivery). Messages
 * are kept here while the request runs, and stored in the mailbox when it ends or its client comes back: a connection
 * may be dead for long before anyone knows.
 */

import { describeError } from "../../../../core/lib/log.ts";
import { MAX_KEPT_PER_STREAM, type RelayEntry } from "../../../../core/ports/relay.ts";
import type { Runtime } from "../../../../core/ports/runtime.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import { eventStream } from "../../../../http/sse.ts";
import type { RpcId } from "../../../json-rpc.ts";
import type { ConnectionSession } from "../../transport/exchange.ts";
import type { OutgoingStream, Resumable } from "../../transport/response-stream.ts";
import { CODE } from "../../wire/codes.ts";
import { eventId, type StreamAddress, signStream } from "./event-id.ts";
import { relayBox } from "./sessions.ts";

/** Milliseconds that a client waits before it comes back. */
export const RETRY_MS = 1_000;
/** Bytes of one message that a mailbox can keep. */
const MAX_ENTRY_BYTES = 1_900_000;

class ResumableStream implements OutgoingStream {
  readonly response: Response;
  readonly #runtime: Runtime;
  readonly #address: StreamAddress;
  readonly #stream = eventStream(() => this.leave());
  /** The stream's signed name. Nothing is sent before it is there, as each event's id begins with it. */
  readonly #named: Promise<string>;
  /** What has not been left in the mailbox. */
  #kept: RelayEntry[] = [];
  #keptLength = 0;
  #said = 0;
  #hasLeft = false;
  #isDone = false;
  /** Sends and posts are queued: messages keep their order. */
  #sent: Promise<void>;
  #posted: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime, address: StreamAddress) {
    this.#runtime = runtime;
    this.#address = address;
    this.response = this.#stream.response;
    this.#named = signStream(runtime, address);
    this.#sent = this.#named.then((name) => this.#stream.prime(eventId(name, 0), RETRY_MS)).catch(() => this.leave());
  }

  send(text: string, mayBeMissed: boolean): void {
    this.#say(text, false, mayBeMissed);
    if (this.#hasLeft) this.#post();
  }

  beat(): void {
    this.#stream.comment("keep-alive");
  }

  leave(): void {
    this.#close();
    // Also if there is nothing new: it tells a client that waits for it that the request still runs.
    this.#post(true);
  }

  cut(): void {
    this.leave();
  }

  end(text: string): void {
    this.#isDone = true;
    this.#say(text, true);
    this.#close();
    this.#post();
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

  #keep({ at, text }: RelayEntry, isLast: boolean): void {
    // UTF-8 takes at most 3 bytes per code unit: most texts need not be encoded to know their size.
    const isTooLarge = text.length * 3 > MAX_ENTRY_BYTES && new TextEncoder().encode(text).length > MAX_ENTRY_BYTES;
    // Too large for the mailbox: only the answer is replaced, other messages are dropped.
    if (isTooLarge && !isLast) return;
    const kept = isTooLarge ? lostAnswer(this.#address, TOO_LARGE) : text;
    this.#kept.push({ at, text: kept });
    this.#keptLength += kept.length;
    while (this.#keptLength > MAX_KEPT_PER_STREAM && this.#kept.length > 1)
      this.#keptLength -= this.#kept.shift()?.text.length ?? 0;
  }

  /** @param always also if there is nothing to leave */
  #post(always = false): void {
    const { log, defer } = this.#runtime;
    this.#posted = this.#posted
      .then(() => this.#leaveKept(always))
      .catch((error) => log({ level: "error", message: "entry not kept", error: describeError(error) }));
    defer(this.#posted);
  }

  /** What was said while an earlier post was under way goes in one. */
  async #leaveKept(always: boolean): Promise<void> {
    const entries = this.#kept;
    if (entries.length === 0 && !always) return;
    this.#kept = [];
    this.#keptLength = 0;
    await this.#runtime.relay.post(this.#address.box, this.#address.stream, entries, this.#isDone);
  }
}

/** A request whose answer may be picked up. Its stream has no name before one is opened, or watched for. */
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

  open(): OutgoingStream {
    const { runtime, principal, toolkit } = this.#context;
    const box = relayBox(this.#context, this.#session);
    const address = { box, stream: this.stream, request: this.#request, scopes: principal.scopes, toolkit };
    return new ResumableStream(runtime, address);
  }
}

const TOO_LARGE = "The result is too large to be kept for a connection that was lost";

/** What a client is answered whose request has no other answer any more. */
export function lostAnswer({ request }: StreamAddress, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: request, error: { code: CODE.internal, message } });
}
