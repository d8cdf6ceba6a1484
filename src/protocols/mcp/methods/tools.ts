/** `tools/list` and `tools/call` (server/tools). */
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { keepMap } from "../../../core/lib/v8-maps.ts";
import { type Call, namesOf } from "../../../core/model/call.ts";
import type { CallResult } from "../../../core/model/call-result.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import { hasRun } from "../../../core/model/outcome.ts";
import { idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Exchange, Method, MethodReply } from "../transport/exchange.ts";
import { handleOf, type ToolSession, toolSession } from "../transport/tool-session.ts";
import { CODE, error } from "../wire/codes.ts";
import type { ReadCall, ReadParams } from "../wire/read-call.ts";
import { type Invocation, invoke } from "./invoke.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { fragments, paginate } from "./paging.ts";
import { failed, renderCall } from "./render.ts";
import { renderTool } from "./tool-list.ts";

export function listTools({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const { dialect, context } = exchange;
  const make = () => context.runtime.catalog.latest(context.toolkit).map((entry) => renderTool(entry, dialect));
  return paginate("tools", fragments(`mcp-${dialect.era}`, exchange, make), params, exchange);
}

/** Makes the invocation of a call. @returns the reply in its place if it cannot be made */
export type MakeCall = (
  entry: CatalogEntry | undefined,
  ...parts: ConstructorParameters<typeof ToolCall>
) => ToolCall | MethodReply;

export const plainCall: MakeCall = (_, exchange, params, read, own) => new ToolCall(exchange, params, read, own);

/** How the parameters of a call are read, and how it is made. */
interface Calling {
  readonly readCall: ReadParams;
  readonly makeCall: MakeCall;
}

export function toolCaller(calling: Calling): Method {
  return (request, exchange) => callTool(request, exchange, calling);
}

function callTool({ params }: RpcRequest, exchange: Exchange, calling: Calling): MaybePromise<MethodReply> {
  const { headers, runtime, toolkit } = exchange.context;
  const read = calling.readCall(params, exchange.isBatched ? undefined : idempotencyKeyOf(headers));
  if ("problem" in read) return error(CODE.invalidParams, read.problem);
  const { name, input } = read;
  const found = runtime.catalog.find({ name }, toolkit);
  const entry = "entry" in found ? found.entry : undefined;
  const wrong = entry && exchange.dialect.wrongHeader?.(entry, headers, input);
  if (wrong) return wrong;
  if (entry?.options.keep === false) exchange.keepNothing();
  const hasSession = entry?.options.session === true;
  const call = calling.makeCall(entry, exchange, params, read, hasSession ? withoutSession(input) : input);
  if (!(call instanceof ToolCall)) return call;
  if (!hasSession || exchange.session) return invoke(exchange, call);
  return inSession(exchange, call, isGiven(input.session) ? input.session : undefined);
}

/** Models write an empty text, or null, for what they leave out. */
export function isGiven(argument: unknown): boolean {
  return argument !== undefined && argument !== null && argument !== "";
}

function withoutSession({ session, ...own }: Record<string, unknown>): Record<string, unknown> {
  return own;
}

/** Runs a call for a client without sessions: it sends a handle as an argument, or gets one with the result. */
async function inSession(exchange: Exchange, call: ToolCall, given: unknown): Promise<MethodReply> {
  const earlier = await exchange.dialect.sessionOfEarlierTurn?.(exchange, call, call.params);
  const opened = await toolSession(exchange.context, earlier ?? given);
  if (opened === undefined) {
    return { result: failed({ message: "The session is unknown or has expired; leave it out to start a new one" }) };
  }
  // A repeat with answers continues the session that the first turn started. To its caller, it still starts one.
  call.join({ ...opened, begins: given === undefined && (earlier === undefined || "further") });
  return invoke(exchange, call);
}

/** The invocation of a `tools/call`. */
export class ToolCall implements Invocation<CallResult> {
  readonly method = "tools/call";
  readonly params: unknown;
  readonly #exchange: Exchange;
  readonly #read: ReadCall;
  readonly #own: Record<string, unknown>;
  /** Set if the tool uses a session and the client has none. */
  #session: ToolSession | undefined;

  /** @param own the tool's own arguments, without reserved ones */
  constructor(exchange: Exchange, params: unknown, read: ReadCall, own: Record<string, unknown>) {
    this.params = params;
    this.#exchange = exchange;
    this.#read = read;
    this.#own = own;
  }

  join(session: ToolSession): void {
    this.#session = session;
  }

  /** Handle of the session, if the client has to send it with each call. */
  get session(): string | undefined {
    return this.#session?.handle;
  }

  get about(): unknown {
    return [this.#read.name, this.#own, namesOf(this.#read.attachments)];
  }

  get logger(): string {
    return this.#read.name;
  }

  run(caller: McpCaller): MaybePromise<CallResult> {
    const { context } = this.#exchange;
    return context.execute(this.callOf(caller), context.runtime);
  }

  protected callOf(caller: McpCaller): Call {
    const { name, key, attachments } = this.#read;
    return caller.calls({ name }, this.#own, key, attachments, this.#session);
  }

  render(result: CallResult): MaybePromise<MethodReply> {
    const rendering = renderCall(result, this.#exchange, this);
    if (this.#session === undefined) return rendering;
    return withSession(rendering, this.#session, result, this.#exchange.context);
  }
}

keepMap(new ToolCall({} as Exchange, undefined, {} as ReadCall, {}));

/** Adds the session handle if the tool has run: that of this call, or of the earlier call whose result is replayed. */
async function withSession(
  rendering: MaybePromise<MethodReply>,
  session: ToolSession,
  result: CallResult,
  context: RequestContext,
): Promise<MethodReply> {
  const reply = await rendering;
  if (!hasRun(result.outcome) || result.sessionId === null) return reply;
  return withHandle(reply, result.sessionId ? await handleOf(context, result.sessionId) : session.handle);
}

/** Adds the handle as text, because the model has to pass it as an argument. */
export function withHandle(reply: MethodReply, handle: string): MethodReply {
  if (!("result" in reply) || !Array.isArray(reply.result.content)) return reply;
  const { content, _meta, ...rest } = reply.result;
  const blocks = [...(content as unknown[]), { type: "text", text: `session: ${handle}` }];
  return { ...reply, result: { ...rest, content: blocks, _meta: { ...(_meta as object), session: handle } } };
}
