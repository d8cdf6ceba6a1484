/** The caller of a tool, prompt or resource, for the core. Created for each call, so rarely used parts are lazy. */

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
import type { Trace } from "../../../core/model/definition.ts";
import type { ClientInfo } from "../../../core/model/elicitation.ts";
import type { Principal } from "../../../core/model/principal.ts";
import { readTrace } from "../../../http/trace.ts";
import type { Exchange, Meta } from "../transport/exchange.ts";
import { NotificationSink } from "../transport/notifications.ts";
import type { ToolSession } from "../transport/tool-session.ts";

export class McpCaller implements Caller {
  readonly protocol = "mcp";
  readonly context = NO_CONTEXT;
  readonly client: Exchange;
  sessionId: string | undefined;
  beginsSession: Begins | undefined;
  attachments: readonly FileReference[] | undefined;
  tool: ToolReference | undefined;
  input: unknown;
  key: string | undefined;
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
  constructor(exchange: Exchange, meta: Meta, answers: InputResponses | undefined, logger: string) {
    this.client = exchange;
    this.sessionId = exchange.session?.id;
    this.#meta = meta;
    this.#answers = answers;
    this.#logger = logger;
  }

  /**
   * Makes this the call of a tool.
   *
   * @param session replaces the connection's own session
   */
  calls(
    tool: ToolReference,
    input: unknown,
    key: string | undefined,
    attachments: readonly FileReference[] | undefined,
    session: ToolSession | undefined,
  ): Call {
    this.tool = tool;
    this.input = input;
    this.key = key;
    this.attachments = attachments;
    if (session) {
      this.sessionId = session.id;
      this.beginsSession = session.begins;
    }
    return this as this & Call;
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
