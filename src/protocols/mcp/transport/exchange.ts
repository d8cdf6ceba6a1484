/** One request's turn: what a method is served with, and what it answers. Shared by both eras' tables of methods. */

import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { keepMap } from "../../../core/lib/v8-maps.ts";
import type { Client } from "../../../core/model/call.ts";
import type { Capability } from "../../../core/model/elicitation.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Reply } from "../wire/codes.ts";
import type { StreamAddress } from "../wire/event-id.ts";
import type { Dialect } from "../wire/revisions.ts";
import { answerOf, type FinalMessage, type MessageStream, ResponseStream } from "./response-stream.ts";
import type { McpSession } from "./sessions.ts";

/** What is known of a request when its turn begins. */
export interface ExchangeFacts {
  readonly context: RequestContext;
  readonly dialect: Dialect;
  readonly session: McpSession | undefined;
  /** What the client declared that it can be asked. */
  readonly capabilities: ReadonlySet<Capability>;
  /** Where the answer may be picked up, should its stream be lost. */
  readonly streamAddress?: StreamAddress | undefined;
  /** Whether it is a batch's part: headers speak of the whole, and there is no stream. */
  readonly isBatched?: boolean | undefined;
}

/** Built for each request, so what few methods use (a stream, a signal) is made when it is first asked for. */
export class Exchange implements ExchangeFacts, Client {
  readonly context: RequestContext;
  readonly dialect: Dialect;
  readonly session: McpSession | undefined;
  readonly capabilities: ReadonlySet<Capability>;
  readonly isBatched: boolean;
  /** Whether the client has lost interest already, as far as it has said so. */
  isOver = false;
  streamAddress: StreamAddress | undefined;
  #conversation: ResponseStream | undefined;
  /** With a single answer, and without a conversation. */
  #isAnswered = false;
  #controller: AbortController | undefined;

  constructor({ context, dialect, session, capabilities, streamAddress, isBatched = false }: ExchangeFacts) {
    this.context = context;
    this.dialect = dialect;
    this.session = session;
    this.capabilities = capabilities;
    this.isBatched = isBatched;
    this.streamAddress = streamAddress;
  }

  /** Absent where the client takes nothing but a single JSON answer. */
  get stream(): MessageStream | undefined {
    return this.isBatched || this.#isAnswered || !takesStreams(this.context) ? undefined : this.#talk();
  }

  /** Fires when the client has gone, or says that it lost interest. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    const connection = this.#isCancelledByHangingUp ? this.context.request.signal : undefined;
    if (this.isOver || connection?.aborted) this.#controller.abort();
    else connection?.addEventListener("abort", () => this.end());
    return this.#controller.signal;
  }

  /** The client has lost interest. */
  end(): void {
    this.isOver = true;
    this.#controller?.abort();
  }

  /** Nothing of the answer may be kept: its stream cannot be picked up again. Called before anything is said. */
  keepNothing(): void {
    this.streamAddress = undefined;
  }

  /** The client has come back for a stream that it lost. */
  resume(): void {
    this.#conversation?.resume();
  }

  /**
   * "Disconnection SHOULD NOT be interpreted as the client cancelling its request" (2025-03-26, 2025-06-18 and
   * 2025-11-25, basic/transports). 2024-11-05 does not say so, but has the same cancel notification. From 2026-07-28 on
   * it MUST be treated as cancellation, and clients without a handshake have no other way.
   */
  get #isCancelledByHangingUp(): boolean {
    return this.dialect.kind !== "legacy";
  }

  /** @param final never rejects */
  respond(final: MaybePromise<FinalMessage>): MaybePromise<Response> {
    // Most requests are answered before there is anything to say early.
    if (!(final instanceof Promise) && this.#conversation === undefined) {
      this.#isAnswered = true;
      return answerOf(final);
    }
    return this.#talk().answer(final);
  }

  #talk(): ResponseStream {
    this.#conversation ??= new ResponseStream(
      this.context,
      this.streamAddress,
      this.#isCancelledByHangingUp ? () => this.end() : undefined,
    );
    return this.#conversation;
  }
}

keepMap(new Exchange({} as ExchangeFacts));

/** Clients that do not list event streams get a single JSON answer (curl sends any type, many libraries none). */
export function takesStreams({ headers }: RequestContext): boolean {
  return headers.get("accept")?.toLowerCase().includes("text/event-stream") ?? false;
}

/** A `result` that is JSON text already: listings are never parsed to be printed again. */
export interface Printed {
  readonly resultText: string;
  /** The text and the brace that closes the message, as bytes that answers share: of a long listing. */
  readonly closed?: Uint8Array | undefined;
}

export type MethodReply = (Reply | Printed) & {
  readonly status?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
};

export type Method = (request: RpcRequest, exchange: Exchange) => MaybePromise<MethodReply>;
