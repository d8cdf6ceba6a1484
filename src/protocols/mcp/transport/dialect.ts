/**
 * What one era of MCP says and takes in its own way. Methods and transport ask the dialect of their request; nobody
 * outside dialects/ asks which era it is. Types only.
 */

import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Elicitation, InputResponses } from "../../../core/model/call.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { LogLevel } from "../../../core/model/definition.ts";
import type { Capability } from "../../../core/model/elicitation.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import type { ServerInfo } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Rendered } from "../wire/codes.ts";
import type { Exchange, Method, MethodReply } from "./exchange.ts";
import type { NotificationSink } from "./notifications.ts";

export interface Dialect {
  /** Keeps apart what is kept for each era's clients. Nobody compares it. */
  readonly era: string;
  /** What the era lacks is absent. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Adds what every result of the era has. */
  finish(reply: MethodReply, exchange: Exchange): MethodReply;
  /** HTTP status where a method is not among them, if the era names one. */
  readonly unknownMethodStatus: number | undefined;

  /** Whether a client that closes its connection has lost interest in the answer. */
  readonly hangingUpCancels: boolean;
  /** Whether its clients may be told anything ahead of the answer. */
  readonly notifies: boolean;
  /**
   * Listens for what other connections say about a request that runs.
   *
   * @returns ends that; undefined where nothing can come
   */
  watch(request: RpcRequest, exchange: Exchange): (() => void) | undefined;
  /** @param meta `_meta` of the request */
  logThreshold(exchange: Exchange, meta: Meta): MaybePromise<LogThreshold>;

  /** Looks at what a call brings beside its parameters. */
  readBeside(exchange: Exchange, subject: Subject, params: unknown, meta: Meta): MaybePromise<Beside>;
  /** @returns what is wrong with the headers that a tool's schema names; undefined for nothing */
  wrongHeader(entry: CatalogEntry, headers: Headers, input: Record<string, unknown>): MethodReply | undefined;
  /** Handle of the session that an earlier turn of this call was in, if the client has brought it back. */
  sessionOfEarlierTurn(exchange: Exchange, subject: Subject, params: unknown): MaybePromise<string | undefined>;
  /** How the client is asked while a call runs, behind what `sink` has told it before. */
  elicitation(exchange: Exchange, answers: InputResponses | undefined, sink: NotificationSink | undefined): Elicitation;

  /** The answer to a call that ended with its questions. */
  asking(exchange: Exchange, subject: Subject, outcome: Outcome & { kind: "asking" }): MaybePromise<Rendered>;
  timedOut(message: string): Rendered;
  lacksCapability(capability: Capability, message: string): Rendered;
  /** Whether arguments that do not fit are a failed result; else they are an error. */
  readonly invalidIsResult: boolean;
  readonly unknownToolCode: number;
  readonly unknownResourceCode: number;
  /** What structured content may be: any JSON value, or objects only, which wrap any other as `{"value": …}`. */
  readonly structuredContent: "any" | "objects";
  /** JSON text of a tool's parameters as they are listed. */
  inputSchema(texts: CatalogEntry["json"]): string;
  /** Members that say for how many milliseconds a client may keep a result. */
  caching(ttlMs: number): Record<string, unknown>;
  /** JSON text of the members that a listing ends with: empty, or from its first comma on. */
  listingEnd(server: ServerInfo): string;
}

export type Meta = Readonly<Record<string, unknown>> | undefined;

/** The least severe level that a client wants to hear of. */
export type LogThreshold = LogLevel | "never";

/** What a call is about: the same for all its turns. */
export interface Subject {
  readonly method: string;
  /** The parameters that make the call what it is: name and arguments, or a URI. */
  readonly about: unknown;
  /** Handle of the session that it is in, where the client has to bring one. */
  readonly session?: string | undefined;
}

/** Answers that came with a call, or why it is not made. */
export type Beside = { readonly answers: InputResponses | undefined } | { readonly refused: MethodReply };
