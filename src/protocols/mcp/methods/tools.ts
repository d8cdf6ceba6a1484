/** `tools/list` and `tools/call`, in both eras (server/tools). */
import { isRecord } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { keepMap } from "../../../core/lib/v8-maps.ts";
import type { CallResult } from "../../../core/model/call-result.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import { execute } from "../../../core/pipeline/execute.ts";
import { idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import { handleOf, type ToolSession, toolSession } from "../transport/sessions.ts";
import { CODE, error } from "../wire/codes.ts";
import { decodeHeaderValue } from "../wire/header-values.ts";
import { type ReadCall, readCall } from "../wire/read-call.ts";
import { sessionOfState } from "./input-required.ts";
import { type Invocation, invoke } from "./invoke.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { paginate } from "./paging.ts";
import { failed, renderCall } from "./render.ts";
import { toolFragments } from "./tool-list.ts";

export function listTools({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const { runtime, toolkit } = exchange.context;
  const outputs = exchange.dialect.kind === "modern" ? "any" : "objects";
  return paginate("tools", toolFragments(runtime.catalog, toolkit, outputs), params, exchange);
}

export function callTool({ params }: RpcRequest, exchange: Exchange): MaybePromise<MethodReply> {
  const { headers, runtime, toolkit } = exchange.context;
  const read = readCall(params, exchange.isBatched ? undefined : idempotencyKeyOf(headers));
  if ("problem" in read) return error(CODE.invalidParams, read.problem);
  const { name, input } = read;
  const found = runtime.catalog.find({ name }, toolkit);
  const entry = "entry" in found ? found.entry : undefined;
  if (exchange.dialect.kind === "modern") {
    const wrong = entry && wrongParameterHeader(entry, headers, input);
    if (wrong) return wrong;
  }
  if (entry?.traits.keep === false) exchange.keepNothing();
  if (!entry?.traits.session) return invoke(exchange, new ToolCall(exchange, params, read, input));
  const { session, ...own } = input;
  if (exchange.session) return invoke(exchange, new ToolCall(exchange, params, read, own));
  return inSession(exchange, new ToolCall(exchange, params, read, own), session ?? undefined);
}

/** A client that keeps no session brings a handle as an argument, or gets one with the result. */
async function inSession(exchange: Exchange, call: ToolCall, given: unknown): Promise<MethodReply> {
  const fromState = await sessionOfState(exchange, call, call.params as Record<string, unknown>);
  const opened = await toolSession(exchange.context, fromState ?? given);
  if (opened === undefined) {
    return { result: failed({ message: "The session is unknown or has expired; leave it out to begin a new one" }) };
  }
  // A repeat with answers goes on with the session it began; to its caller it still begins one.
  call.join({ ...opened, begins: given === undefined && (fromState === undefined || "further") });
  return invoke(exchange, call);
}

/** What a `tools/call` asks for. */
class ToolCall implements Invocation<CallResult> {
  readonly method = "tools/call";
  readonly params: unknown;
  readonly #exchange: Exchange;
  readonly #read: ReadCall;
  readonly #own: Record<string, unknown>;
  /** Of a tool that wants one, for a client that keeps none. */
  #session: ToolSession | undefined;

  /** @param own what of the arguments is the tool's */
  constructor(exchange: Exchange, params: unknown, read: ReadCall, own: Record<string, unknown>) {
    this.params = params;
    this.#exchange = exchange;
    this.#read = read;
    this.#own = own;
  }

  join(session: ToolSession): void {
    this.#session = session;
  }

  /** Handle of the session that it is in, if the client has to bring one. */
  get session(): string | undefined {
    return this.#session?.handle;
  }

  get about(): unknown {
    return [this.#read.name, this.#own, this.#read.attachments];
  }

  get logger(): string {
    return this.#read.name;
  }

  run(caller: McpCaller): MaybePromise<CallResult> {
    const { name, key, attachments } = this.#read;
    return execute(caller.calls({ name }, this.#own, key, attachments, this.#session), this.#exchange.context.runtime);
  }

  render(ending: CallResult): MaybePromise<MethodReply> {
    const { dialect, context } = this.#exchange;
    const reply = renderCall(ending, dialect, context);
    return this.#session === undefined ? reply : told(reply, this.#session, ending, context);
  }
}

keepMap(new ToolCall({} as Exchange, undefined, {} as ReadCall, {}));

/** A call that ran is in a session from then on: its own, or that of the earlier call whose result it is. */
async function told(
  reply: MethodReply,
  session: ToolSession,
  ending: CallResult,
  context: RequestContext,
): Promise<MethodReply> {
  const { kind } = ending.outcome;
  if (kind === "refused" || kind === "invalid" || ending.sessionId === null) return reply;
  return withHandle(reply, ending.sessionId ? await handleOf(context, ending.sessionId) : session.handle);
}

/** A handle reaches the model as text: that is where it takes the argument from. */
function withHandle(reply: MethodReply, handle: string): MethodReply {
  if (!("result" in reply) || !Array.isArray(reply.result.content)) return reply;
  const { content, _meta, ...rest } = reply.result;
  const told = [...(content as unknown[]), { type: "text", text: `session: ${handle}` }];
  return { ...reply, result: { ...rest, content: told, _meta: { ...(_meta as object), session: handle } } };
}

/**
 * Streamable HTTP, Server Behavior for Custom Headers: a header that a tool's schema names must say what the body says.
 */
function wrongParameterHeader(
  { traits }: CatalogEntry,
  headers: Headers,
  input: Record<string, unknown>,
): MethodReply | undefined {
  for (const { header, path } of traits.headers ?? []) {
    const name = `mcp-param-${header.toLowerCase()}`;
    const value = path.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), input);
    const problem = headerProblem(headers.get(name), value ?? undefined);
    if (problem) return { ...error(CODE.headerMismatch, `The header ${name} ${problem}`), status: 400 };
  }
  return undefined;
}

/** @param value of the parameter; undefined for one that was not sent, whose header must not be there either */
function headerProblem(raw: string | null, value: unknown): string | undefined {
  if (raw === null) return value === undefined ? undefined : "is missing";
  const said = decodeHeaderValue(raw);
  if (said === undefined) return "is malformed";
  return value !== undefined && says(said, value) ? undefined : "differs from the body";
}

function says(text: string, value: unknown): boolean {
  // Integers are compared as numbers: 42.0 is 42.
  return typeof value === "number" ? text.trim() !== "" && Number(text) === value : text === String(value);
}
