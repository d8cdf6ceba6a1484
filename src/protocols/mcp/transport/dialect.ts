/**
 * The ways in which one era of MCP differs from the others. Methods and transport use the dialect of their request;
 * only code in dialects/ knows which era it is. Types only.
 */

import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Elicitation, InputResponses } from "../../../core/model/call.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { LogLevel } from "../../../core/model/definition.ts";
import type { Capability, ClientIdentity } from "../../../core/model/elicitation.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import type { ServerInfo } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Rendered } from "../wire/codes.ts";
import type { Exchange, Method, MethodReply } from "./exchange.ts";
import type { NotificationSink } from "./notifications.ts";

/** A method that an era does not need is absent. */
export interface Dialect {
  /** Part of cache keys, so that each era has its own entries. Not to be compared with anything. */
  readonly era: string;
  /** The methods that the era has. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Adds the members that every result of the era has. */
  finish(reply: MethodReply, exchange: Exchange): MethodReply;
  /** HTTP status for an unknown method, if the era defines one. */
  readonly unknownMethodStatus?: number;

  /** Whether a client that closes its connection thereby cancels its request. */
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
  /** Handle of the session that an earlier turn of this call used, if the client has sent it back. */
  sessionOfEarlierTurn?(exchange: Exchange, subject: Subject, params: unknown): MaybePromise<string | undefined>;
  /** What the client calls itself. */
  clientNames(exchange: Exchange, meta: Meta): ClientIdentity;
  /** How to ask the client during a call. Questions are sent after everything that is queued in `sink`. */
  elicitation(exchange: Exchange, answers: InputResponses | undefined, sink: NotificationSink | undefined): Elicitation;

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

/** `_meta` of a request, if it has one. */
export type Meta = Readonly<Record<string, unknown>> | undefined;

/** The least severe level of log messages that a client wants. */
export type LogThreshold = LogLevel | "never";

/** Identifies a call. The same for all its turns. */
export interface Subject {
  readonly method: string;
  /** What distinguishes the call from others of its method: name and arguments, or a URI. */
  readonly about: unknown;
  /** Handle of the call's session, if the client has to send it with each call. */
  readonly session?: string | undefined;
}

/** The answers that came with a call, or the reply if it must not run. */
export type ReadAnswers = { readonly answers: InputResponses | undefined } | { readonly refused: MethodReply };
