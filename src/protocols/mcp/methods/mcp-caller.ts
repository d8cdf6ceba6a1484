/** Reads who calls a tool, prompt or resource, for the core. Created for each call, so rarely used parts are lazy. */

import { isRecord } from "../../../core/lib/json.ts";
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import {
  type Begins,
  type Call,
  type Caller,
  type Elicitation,
  type FileReference,
  type InputResponses,
  NO_CONTEXT,
  type ToolReference,
} from "../../../core/model/call.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { Trace } from "../../../core/model/definition.ts";
import type { ClientInfo } from "../../../core/model/elicitation.ts";
import type { Principal } from "../../../core/model/principal.ts";
import { readTrace } from "../../../http/trace.ts";
import type { Exchange, Meta, MethodReply, ReadAnswers, Subject } from "../transport/exchange.ts";
import { NotificationSink } from "../transport/notifications.ts";
import type { ToolSession } from "../transport/tool-session.ts";

/** What a call of a tool has besides the {@link Caller}. */
export type OwnCall = Pick<Call, "tool" | "entry" | "input" | "key" | "attachments" | "followsTasks" | "task"> & {
  /** Replaces the connection's own session. */
  readonly session?: ToolSession | undefined;
};

/** The same for a tool that is called by name. MCP clients call all tools by name. */
export type NamedCall = OwnCall & { readonly tool: { readonly name: string } };

/** A caller. Also the call of a tool, if it was created with one. */
export class McpCaller implements Caller {
  readonly protocol = "mcp";
  readonly context = NO_CONTEXT;
  readonly client: Exchange;
  readonly #meta: Meta;
  readonly #answers: InputResponses | undefined;
  readonly #logger: string;
  readonly #own: OwnCall | undefined;
  #callId: string | undefined;
  #sink: NotificationSink | undefined;
  #elicitation: Elicitation | undefined;

  /**
   * @param meta    `_meta` of the request
   * @param answers set if the client repeats the call with answers
   * @param logger  name of the logger in log messages
   */
  constructor(exchange: Exchange, meta: Meta, answers: InputResponses | undefined, logger: string, own?: OwnCall) {
    this.client = exchange;
    this.#meta = meta;
    this.#answers = answers;
    this.#logger = logger;
    this.#own = own;
  }

  get tool(): ToolReference | undefined {
    return this.#own?.tool;
  }

  get entry(): CatalogEntry | undefined {
    return this.#own?.entry;
  }

  get input(): unknown {
    return this.#own?.input;
  }

  get key(): string | undefined {
    return this.#own?.key;
  }

  get attachments(): readonly FileReference[] | undefined {
    return this.#own?.attachments;
  }

  get followsTasks(): boolean | undefined {
    return this.#own?.followsTasks;
  }

  get task(): string | undefined {
    return this.#own?.task;
  }

  get sessionId(): string | undefined {
    return (this.#own?.session ?? this.client.session)?.id;
  }

  get beginsSession(): Begins | undefined {
    return this.#own?.session?.begins;
  }

  get callId(): string {
    this.#callId ??= crypto.randomUUID();
    return this.#callId;
  }

  get toolkit(): string | undefined {
    return this.client.context.toolkit;
  }

  get principal(): Principal {
    return this.client.context.principal;
  }

  get clientInfo(): ClientInfo {
    const { client, protocol } = this;
    const { dialect, session, capabilities, context } = client;
    // A header with an unsupported revision would have been refused before.
    const revision = session?.revision ?? context.headers.get("mcp-protocol-version")?.trim();
    return { ...dialect.clientNames(client, this.#meta), protocol, revision, capabilities };
  }

  origin(): string {
    return new URL(this.client.context.request.url).origin;
  }

  /** The trace context may also be in `_meta` (2026-07-28, basic/index, `_meta`). */
  trace(): Trace | undefined {
    return readTrace(this.client.context.headers, this.#meta);
  }

  /** In `_meta`, not in the arguments, because a model writes these. */
  get callback(): unknown {
    return this.#meta?.callback;
  }

  /** Undefined if the client can receive only the response. */
  get sink(): NotificationSink | undefined {
    const exchange = this.client;
    if (exchange.isBatched || !exchange.dialect.notifies) return undefined;
    this.#sink ??= new NotificationSink(exchange, this.#meta, this.#logger);
    return this.#sink;
  }

  get elicitation(): Elicitation {
    this.#elicitation ??= this.client.dialect.elicitation(this.client, this.#answers, this.sink);
    return this.#elicitation;
  }

  /** Resolves when all notifications are sent; undefined if none are waiting. */
  drained(): Promise<void> | undefined {
    return this.#sink?.drained();
  }
}

type Read<Made> = Made | { readonly refused: MethodReply };

/**
 * @param logger name of the logger in log messages
 * @returns the caller of a prompt, resource or completion; or the reply if its answers are invalid
 */
export function readCaller(
  exchange: Exchange,
  subject: Subject,
  params: unknown,
  logger: string,
  own?: OwnCall,
): MaybePromise<Read<McpCaller>> {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const reading = exchange.dialect.readAnswers(exchange, subject, params, meta);
  if (isPromise(reading)) return reading.then((read) => made(read, exchange, meta, logger, own));
  return made(reading, exchange, meta, logger, own);
}

function made(read: ReadAnswers, exchange: Exchange, meta: Meta, logger: string, own?: OwnCall): Read<McpCaller> {
  return "refused" in read ? read : new McpCaller(exchange, meta, read.answers, logger, own);
}

/** @returns the call of a tool, or the reply if its answers are invalid */
export function readToolCall(
  exchange: Exchange,
  subject: Subject,
  params: unknown,
  own: NamedCall,
): MaybePromise<Read<McpCaller & Call>> {
  return readCaller(exchange, subject, params, own.tool.name, own) as MaybePromise<Read<McpCaller & Call>>;
}
