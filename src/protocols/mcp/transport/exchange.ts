/** One MCP request on its way to its response: what a method gets, and where its reply goes. The same in every era. */

import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { keepMap } from "../../../core/lib/v8-maps.ts";
import type { Client } from "../../../core/model/call.ts";
import type { Capability } from "../../../core/model/elicitation.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Reply } from "../wire/codes.ts";
import type { Dialect } from "./dialect.ts";
import { answerOf, type FinalMessage, type MessageStream, ResponseStream, type Resumable } from "./response-stream.ts";

/** What is known of the session that a connection is in. */
export interface ConnectionSession {
  readonly id: string;
  /** What its handshake settled on. */
  readonly revision: string;
}

/** What is known of a request when it arrives. */
export interface ExchangeFacts {
  readonly context: RequestContext;
  readonly dialect: Dialect;
  readonly session: ConnectionSession | undefined;
  /** What the client declared that it can do: elicitation, sampling, roots. */
  readonly capabilities: ReadonlySet<Capability>;
  readonly resumable?: Resumable | undefined;
  /** Whether it is a batch's part: headers speak of the whole, and there is no stream. */
  readonly isBatched?: boolean | undefined;
}

/** Built for each request, so what few methods use (a stream, a signal) is created on first use. */
export class Exchange implements ExchangeFacts, Client {
  readonly context: RequestContext;
  readonly dialect: Dialect;
  readonly session: ConnectionSession | undefined;
  readonly capabilities: ReadonlySet<Capability>;
  readonly isBatched: boolean;
  /** Whether the client has lost interest already, as far as it has said so. */
  isOver = false;
  resumable: Resumable | undefined;
  #conversation: ResponseStream | undefined;
  /** With a single answer, and without a conversation. */
  #isAnswered = false;
  #controller: AbortController | undefined;

  constructor({ context, dialect, session, capabilities, resumable, isBatched = false }: ExchangeFacts) {
    this.context = context;
    this.dialect = dialect;
    this.session = session;
    this.capabilities = capabilities;
    this.isBatched = isBatched;
    this.resumable = resumable;
  }

  /** Absent where the client takes nothing but a single JSON answer. */
  get stream(): MessageStream | undefined {
    return this.isBatched || this.#isAnswered || !takesStreams(this.context) ? undefined : this.#talk();
  }

  /** Fires when the client has gone, or says that it lost interest. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    const connection = this.dialect.hangingUpCancels ? this.context.request.signal : undefined;
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
    this.resumable = undefined;
  }

  /** The client has come back for a stream that it lost. */
  resume(): void {
    this.#conversation?.resume();
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
      this.resumable,
      this.dialect.hangingUpCancels ? () => this.end() : undefined,
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
