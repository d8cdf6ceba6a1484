/**
 * Who calls, as the core wants to know it. Made for each call, so what few of them look at is made when it is asked
 * for.
 */
import {
  type Answers,
  type Asking,
  type Begins,
  type Call,
  type Caller,
  NO_CONTEXT,
  type ToolReference,
} from "../../core/call.ts";
import type { Attachment, Principal, Trace } from "../../core/definition.ts";
import { keepShape } from "../../core/shapes.ts";
import { readTrace } from "../http.ts";
import { askingOf } from "./asked.ts";
import type { ToolSession } from "./session.ts";
import { ClientSink } from "./sink.ts";
import type { Turn } from "./turn.ts";

export class McpCaller implements Caller {
  readonly protocol = "mcp";
  readonly context = NO_CONTEXT;
  readonly client: Turn;
  sessionId: string | undefined;
  beginsSession: Begins | undefined;
  attachments: readonly Attachment[] | undefined;
  tool: ToolReference | undefined;
  input: unknown;
  key: string | undefined;
  readonly #meta: Readonly<Record<string, unknown>> | undefined;
  readonly #answers: Answers | undefined;
  readonly #logger: string;
  #callId: string | undefined;
  #sink: ClientSink | undefined;
  #asking: Asking | undefined;

  /**
   * @param meta    `_meta` of the request
   * @param answers sent with a modern call when its client calls again
   * @param logger  what log messages are said to come from
   */
  constructor(
    turn: Turn,
    meta: Readonly<Record<string, unknown>> | undefined,
    answers: Answers | undefined,
    logger: string,
  ) {
    this.client = turn;
    this.sessionId = turn.session?.id;
    this.#meta = meta;
    this.#answers = answers;
    this.#logger = logger;
  }

  /**
   * As the caller of a tool.
   *
   * @param session in place of the connection's own
   */
  calls(
    tool: ToolReference,
    input: unknown,
    key: string | undefined,
    attachments: readonly Attachment[] | undefined,
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
    return this.client.visit.toolkit;
  }

  get principal(): Principal {
    return this.client.visit.principal;
  }

  /** 2026-07-28, basic/index, `_meta`: it may carry the trace too. */
  trace(): Trace | undefined {
    return readTrace(this.client.visit.headers, this.#meta);
  }

  /** Absent where nothing but the answer can reach the client. */
  get sink(): ClientSink | undefined {
    const turn = this.client;
    if (turn.alone || turn.manner.kind === "bare") return undefined;
    this.#sink ??= new ClientSink(turn, this.#meta, this.#logger);
    return this.#sink;
  }

  get asking(): Asking {
    this.#asking ??= askingOf(this.client, this.#answers, this.sink);
    return this.#asking;
  }

  /** Resolves when the client has been told all that was said on the way; undefined where it has been. */
  drained(): Promise<void> | undefined {
    return this.#sink?.drained();
  }
}

keepShape(new McpCaller({} as Turn, undefined, undefined, ""));
