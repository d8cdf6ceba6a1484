/** One MCP request and its response: what a method gets, and where its reply goes. The same in every era. */

import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Client, Elicitation, InputResponses } from "../../../core/model/call.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { LogLevel } from "../../../core/model/definition.ts";
import type { Capability, ClientCapability, ClientIdentity } from "../../../core/model/elicitation.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import { holdParsed } from "../../../http/body.ts";
import type { HeldRoom, RequestContext, ServerInfo } from "../../../http/request-context.ts";
import { jsonInTime } from "../../../http/slow-json.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Rendered, StatusAndHeaders } from "../wire/codes.ts";
import { answerOf, type FinalMessage, type MessageStream, ResponseStream, type Resumable } from "./response-stream.ts";

export interface ConnectionSession {
  readonly id: string;
  /** The revision that the handshake agreed on. */
  readonly revision: string;
  /** What the client called itself in the handshake, as encoded in the session's id. */
  readonly client: readonly string[];
}

/** What is known about a request when it arrives. */
export interface ExchangeFacts {
  readonly context: RequestContext;
  readonly dialect: Dialect;
  readonly session: ConnectionSession | undefined;
  /** Capabilities that the client declares: elicitation, sampling, roots. */
  readonly capabilities: ReadonlySet<ClientCapability>;
  readonly resumable?: Resumable | undefined;
  /** Whether the request is part of a batch: then headers apply to the batch as a whole, and there is no stream. */
  readonly isBatched?: boolean | undefined;
}

/** Created for each request, so rarely used parts (a stream, a signal) are lazy. */
export class Exchange implements ExchangeFacts, Client {
  readonly context: RequestContext;
  readonly dialect: Dialect;
  readonly session: ConnectionSession | undefined;
  readonly capabilities: ReadonlySet<ClientCapability>;
  readonly isBatched: boolean;
  /** Whether the client is known to have disconnected or cancelled. */
  isCancelled = false;
  resumable: Resumable | undefined;
  #responseStream: ResponseStream | undefined;
  #isAnswered = false;
  #controller: AbortController | undefined;
  /** Ids of the server's own requests that the client has not answered. */
  #asked: Set<string> | undefined;
  /** The room of the client's answers to its call. */
  #answers: HeldRoom[] | undefined;
  #atEnd: (() => void)[] | undefined;
  #isOver = false;

  constructor({ context, dialect, session, capabilities, resumable, isBatched = false }: ExchangeFacts) {
    this.context = context;
    this.dialect = dialect;
    this.session = session;
    this.capabilities = capabilities;
    this.isBatched = isBatched;
    this.resumable = resumable;
  }

  /** Undefined if the client accepts only a single JSON response. */
  get stream(): MessageStream | undefined {
    return this.isBatched || this.#isAnswered || !takesStreams(this.context) ? undefined : this.#openStream();
  }

  /** Aborts when the client disconnects, if that cancels its requests, or when it cancels the request. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    const connection = this.dialect.disconnectCancels ? this.context.request.signal : undefined;
    if (this.isCancelled || connection?.aborted) this.#controller.abort();
    else connection?.addEventListener("abort", () => this.cancel());
    return this.#controller.signal;
  }

  /** Called when the client has cancelled the request, or has disconnected. */
  cancel(): void {
    this.isCancelled = true;
    this.#controller?.abort();
  }

  /** Notes that the server has sent a request of its own to the client. */
  hasAsked(id: string): void {
    this.#asked ??= new Set();
    this.#asked.add(id);
  }

  isAnswered(id: string): void {
    this.#asked?.delete(id);
  }

  keepInput(until: Promise<unknown>): void {
    for (const room of [this.context.largeBody, ...(this.#answers ?? [])]) room?.keepUntil(until);
  }

  /**
   * Reserves room for a client's answers that came in another request, or encoded in a `requestState`: the room of the
   * call's body is not for them.
   *
   * @param length of the text that the answers were parsed from
   * @returns false if the client's large requests take all the room, or the call is over already
   */
  holdAnswers(length: number, answers: unknown): boolean {
    const room = this.#isOver ? undefined : holdParsed(this.context, length, answers);
    if (room === undefined) return false;
    this.#answers ??= [];
    this.#answers.push(room);
    return true;
  }

  /** Calls `work` when the call is over: code that waits for an answer may never hear of it. */
  atEnd(work: () => void): void {
    if (this.#isOver) work();
    this.#atEnd ??= [];
    this.#atEnd.push(work);
  }

  /** Call it when a method that returned a promise has replied. */
  end(): void {
    this.#isOver = true;
    for (const room of this.#answers ?? []) room.release();
    for (const work of this.#atEnd ?? []) work();
  }

  /** Makes the response not resumable, so that none of it is stored. Call it before anything is sent. */
  keepNothing(): void {
    this.resumable = undefined;
  }

  /** Called when the client has reconnected to resume the stream. */
  resume(): void {
    this.#responseStream?.resume();
  }

  /**
   * Sends the last message of the request.
   *
   * @param final never rejects
   */
  respond(final: MaybePromise<FinalMessage>): MaybePromise<Response> {
    // Most requests complete before anything else is sent.
    if (!(final instanceof Promise) && this.#responseStream === undefined) {
      this.#isAnswered = true;
      return answerOf(final);
    }
    if (!(final instanceof Promise)) return this.#openStream().answer(final);
    const last = final.then((one) => this.#last(one));
    if (!this.isBatched && takesStreams(this.context)) return this.#openStream().answer(last);
    if (!this.dialect.disconnectCancels) this.context.runtime.defer(last);
    // A batch keeps its connection open itself.
    if (this.isBatched) return last.then(answerOf);
    return jsonInTime(this.context, (client) => {
      client.onWait();
      return last.then(answerOf);
    });
  }

  /** Withdraws questions whose answers nobody waits for, and leaves out a response that nobody waits for. */
  #last(final: FinalMessage): FinalMessage {
    const reason = this.isCancelled ? "The call was cancelled" : "The call is over";
    for (const requestId of this.#asked ?? []) {
      const params = { requestId, reason };
      this.#responseStream?.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    // 2025-11-25, basic/utilities/cancellation: receivers SHOULD "Not send a response for the cancelled request".
    const isUnwanted = this.isCancelled && !this.dialect.disconnectCancels;
    // A batch leaves out responses with status 202. A client that accepts only JSON must get a response.
    if (isUnwanted && this.isBatched) return { ...final, status: 202 };
    return isUnwanted && takesStreams(this.context) ? { ...final, isUnwanted } : final;
  }

  #openStream(): ResponseStream {
    this.#responseStream ??= new ResponseStream(
      this.context,
      this.resumable,
      this.dialect.disconnectCancels ? () => this.cancel() : undefined,
    );
    return this.#responseStream;
  }
}

/** Others get a single JSON response. Clients must name event streams: curl accepts any type, many libraries none. */
export function takesStreams({ headers }: RequestContext): boolean {
  return headers.get("accept")?.toLowerCase().includes("text/event-stream") ?? false;
}

/** A `result` that is already JSON text, so that listings are never parsed and serialized again. */
export interface SerializedResult {
  readonly resultText: string;
  /** For a long listing: the text and the closing brace of the message, as bytes that responses share. */
  readonly closedBytes?: Uint8Array | undefined;
}

/** The reply of a method, with the HTTP status and headers if they are not the default. */
export type MethodReply = Rendered | (SerializedResult & StatusAndHeaders);

export type Method = (request: RpcRequest, exchange: Exchange) => MaybePromise<MethodReply>;

/**
 * The ways in which one era of MCP differs from the others. Methods and transport use the dialect of their request;
 * only code in modern/ and legacy/ knows which era it is. A method that an era does not need is absent.
 */
export interface Dialect {
  /** Part of cache keys, so that each era has its own entries. Do not use it to tell eras apart. */
  readonly era: string;
  readonly methods: ReadonlyMap<string, Method>;
  /** Adds the members that every result of the era has. */
  finish(reply: MethodReply, exchange: Exchange): MethodReply;
  /** HTTP status for an unknown method, if the era defines one. */
  readonly unknownMethodStatus?: number;

  /** Whether closing the connection cancels the client's request. */
  readonly disconnectCancels: boolean;
  /** Whether clients accept notifications before the response. */
  readonly notifies: boolean;
  /**
   * Listens for messages about a running request that arrive on other connections.
   *
   * @returns a function that stops listening; undefined if no messages can arrive
   */
  watch?(request: RpcRequest, exchange: Exchange): (() => void) | undefined;
  /** @param meta `_meta` of the request */
  logThreshold(exchange: Exchange, meta: Meta): MaybePromise<LogThreshold>;

  /** Reads the answers that a client sends when it repeats a call. */
  readAnswers(exchange: Exchange, subject: Subject, params: unknown, meta: Meta): MaybePromise<ReadAnswers>;
  /** Checks the headers that repeat tool parameters. @returns an error, or undefined if they are correct */
  wrongHeader?(entry: CatalogEntry, headers: Headers, input: Record<string, unknown>): MethodReply | undefined;
  /** Handle of the session that an earlier turn of this call used, if the client sends it back. */
  sessionOfEarlierTurn?(exchange: Exchange, subject: Subject, params: unknown): MaybePromise<string | undefined>;
  clientNames(exchange: Exchange, meta: Meta): ClientIdentity;
  /** How to ask the client during a call. Questions are sent after everything that is queued in `sink`. */
  elicitation(exchange: Exchange, answers: InputResponses | undefined, sink: Drained | undefined): Elicitation;

  /** The reply to a call that ended with questions. */
  asking(exchange: Exchange, subject: Subject, outcome: Outcome & { kind: "asking" }): MaybePromise<Rendered>;
  timedOut(message: string): Rendered;
  lacksCapability(capability: Capability, message: string): Rendered;
  /** Whether invalid arguments give a failed result; if not, they give an error. */
  readonly invalidIsResult: boolean;
  readonly unknownToolCode: number;
  readonly unknownResourceCode: number;
  /** Whether structured content can be any JSON value. If not, other values are wrapped as `{"value": …}`. */
  readonly structuredContent: "any" | "objects";
  /** JSON text of a tool's input schema, as listed. */
  inputSchema(texts: CatalogEntry["json"]): string;
  /** Members that tell clients for how many milliseconds they may cache a result. */
  caching?(ttlMs: number): Record<string, unknown>;
  /** JSON text of the last members of a listing, with a leading comma; may be empty. */
  listingEnd(server: ServerInfo): string;
}

/** A queue of notifications to a client. */
export interface Drained {
  /** Settles when everything that was queued before this call has been sent. */
  drained(): MaybePromise<void>;
}

/** `_meta` of a request, if it has one. */
export type Meta = Readonly<Record<string, unknown>> | undefined;

/** The least severe level of log messages that a client wants. */
export type LogThreshold = LogLevel | "never";

/** Identifies a call: it is the same for all turns of the call. */
export interface Subject {
  readonly method: string;
  /** What distinguishes the call from others of its method: name and arguments, or a URI. */
  readonly about: unknown;
  /** Handle of the call's session, if the client has to send it with each call. */
  readonly session?: string | undefined;
}

/** The answers that came with a call, or the reply if it must not run. */
export type ReadAnswers = { readonly answers: InputResponses | undefined } | { readonly refused: MethodReply };
