/** Reads who calls a tool, prompt or resource, for the core. Made for each call, so rarely used parts are lazy. */

import { isRecord } from "../../../core/lib/json.ts";
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { keepMap } from "../../../core/lib/v8-maps.ts";
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

/** What a call of a tool has besides. */
export type OwnCall = Pick<Call, "tool" | "entry" | "input" | "key" | "attachments" | "followsTasks" | "task"> & {
  /** Replaces the connection's own session. */
  readonly session?: ToolSession | undefined;
};

/** A caller; the call of a tool, if it was made with one. */
export class McpCaller implements Caller {
  readonly protocol = "mcp";
  readonly context = NO_CONTEXT;
  readonly client: Exchange;
  readonly sessionId: string | undefined;
  readonly beginsSession: Begins | undefined;
  readonly tool: ToolReference | undefined;
  readonly entry: CatalogEntry | undefined;
  readonly input: unknown;
  readonly key: string | undefined;
  readonly attachments: readonly FileReference[] | undefined;
  readonly followsTasks: boolean | undefined;
  readonly task: string | undefined;
  readonly #meta: Meta;
  readonly #answers: InputResponses | undefined;
  readonly #logger: string;
  #callId: string | undefined;
  #sink: NotificationSink | undefined;
  #elicitation: Elicitation | undefined;

  /**
   * @param meta    `_meta` of the request
   * @param answers answers that came with the call, if its client repeats it with them
   * @param logger  name of the logger in log messages
   */
  constructor(exchange: Exchange, meta: Meta, answers: InputResponses | undefined, logger: string, own?: OwnCall) {
    this.client = exchange;
    this.sessionId = own?.session ? own.session.id : exchange.session?.id;
    this.beginsSession = own?.session?.begins;
    this.tool = own?.tool;
    this.entry = own?.entry;
    this.input = own?.input;
    this.key = own?.key;
    this.attachments = own?.attachments;
    this.followsTasks = own?.followsTasks;
    this.task = own?.task;
    this.#meta = meta;
    this.#answers = answers;
    this.#logger = logger;
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
    // A header of another revision would belong to no era.
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

  /** In `_meta`, because a model writes the arguments. */
  get callback(): unknown {
    return this.#meta?.callback;
  }

  /** Undefined if the client can receive nothing but the response. */
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

keepMap(new McpCaller({} as Exchange, undefined, undefined, ""));

/** One request to run something. */
export interface RunRequest {
  readonly subject: Subject;
  readonly params: unknown;
  /** Name of the logger in log messages. */
  readonly logger: string;
}

type Read<Made> = Made | { readonly refused: MethodReply };

/** @returns the caller of a prompt, resource or completion; or the reply if its answers are invalid */
export function readCaller(exchange: Exchange, request: RunRequest): MaybePromise<Read<McpCaller>> {
  return read(exchange, request, undefined);
}

/** @returns the call of a tool, or the reply if its answers are invalid */
export function readToolCall(
  exchange: Exchange,
  request: RunRequest,
  own: OwnCall,
): MaybePromise<Read<McpCaller & Call>> {
  return read(exchange, request, own) as MaybePromise<Read<McpCaller & Call>>;
}

function read(
  exchange: Exchange,
  { subject, params, logger }: RunRequest,
  own: OwnCall | undefined,
): MaybePromise<Read<McpCaller>> {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const made = (read: ReadAnswers) =>
    "refused" in read ? read : new McpCaller(exchange, meta, read.answers, logger, own);
  const reading = exchange.dialect.readAnswers(exchange, subject, params, meta);
  return isPromise(reading) ? reading.then(made) : made(reading);
}
