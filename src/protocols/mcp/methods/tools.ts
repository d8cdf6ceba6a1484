/** `tools/list` and `tools/call` (server/tools). */
import { isPromise, type MaybePromise } from "../../../core/lib/maybe-promise.ts";
import { type Call, namesOf } from "../../../core/model/call.ts";
import type { CallResult } from "../../../core/model/call-result.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import { hasRun } from "../../../core/model/outcome.ts";
import type { TaskState } from "../../../core/model/task-state.ts";
import { idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcRequest } from "../../json-rpc.ts";
import type { Exchange, Method, MethodReply, Subject } from "../transport/exchange.ts";
import { handleOf, type ToolSession, toolSession } from "../transport/tool-session.ts";
import { CODE, error } from "../wire/codes.ts";
import type { ReadParams } from "../wire/read-call.ts";
import { type NamedCall, type OwnCall, readToolCall } from "./mcp-caller.ts";
import { fragments, paginate } from "./paging.ts";
import { failed, renderCall } from "./render.ts";
import { renderTool } from "./tool-list.ts";

export function listTools({ params }: RpcRequest, exchange: Exchange): MethodReply {
  const { dialect, context } = exchange;
  const make = () => context.runtime.catalog.latest(context.toolkit).map((entry) => renderTool(entry, dialect));
  return paginate("tools", fragments(`mcp-${dialect.era}`, exchange, make), params, exchange);
}

/** Reads the parts of a call that features define, or returns a reply. @param input the tool's own arguments */
export type ReadTool = (
  entry: CatalogEntry | undefined,
  exchange: Exchange,
  params: unknown,
  input: Record<string, unknown>,
) => Pick<OwnCall, "input" | "followsTasks" | "task"> | { readonly refused: MethodReply };

export const readPlain: ReadTool = (_entry, _exchange, _params, input) => ({ input });

/** Renders the reply to a call that continues as a task; undefined for the default. */
export type RenderAccepted = (task: TaskState, call: Call) => MethodReply | undefined;

/** How a call is read and rendered, including what features add. */
interface Calling {
  readonly readCall: ReadParams;
  readonly readTool: ReadTool;
  readonly renderAccepted: RenderAccepted;
}

export function toolCaller(calling: Calling): Method {
  return (request, exchange) => callTool(request, exchange, calling);
}

function callTool({ params }: RpcRequest, exchange: Exchange, calling: Calling): MaybePromise<MethodReply> {
  const { headers, runtime, toolkit } = exchange.context;
  const read = calling.readCall(params, exchange.isBatched ? undefined : idempotencyKeyOf(headers));
  if ("problem" in read) return error(CODE.invalidParams, read.problem);
  const { name, input, key, attachments } = read;
  const tool = { name };
  const found = runtime.catalog.find(tool, toolkit);
  const entry = "entry" in found ? found.entry : undefined;
  const wrong = entry && exchange.dialect.wrongHeader?.(entry, headers, input);
  if (wrong) return wrong;
  if (entry?.options.keep === false) exchange.keepNothing();
  const hasSession = entry?.options.session === true;
  const own = calling.readTool(entry, exchange, params, hasSession ? withoutSession(input) : input);
  if ("refused" in own) return own.refused;
  const subject = { method: "tools/call", about: [name, own.input, attachments && namesOf(attachments)] };
  const { input: ownInput, followsTasks, task } = own;
  const call = { tool, entry, input: ownInput, key, attachments, followsTasks, task };
  if (!hasSession || exchange.session) return carryOut(exchange, subject, params, call, calling);
  return inSession(exchange, subject, params, call, isGiven(input.session) ? input.session : undefined, calling);
}

async function carryOut(
  exchange: Exchange,
  subject: Subject,
  params: unknown,
  own: NamedCall,
  calling: Calling,
): Promise<MethodReply> {
  const reading = readToolCall(exchange, subject, params, own);
  const call = isPromise(reading) ? await reading : reading;
  if ("refused" in call) return call.refused;
  const { context } = exchange;
  const result = await context.execute(call, context.runtime);
  // The reply follows everything that was sent during the run.
  const draining = call.drained();
  if (draining) await draining;
  const { outcome } = result;
  const accepted = outcome.kind === "accepted" ? calling.renderAccepted(outcome.task, call) : undefined;
  const rendering = accepted ?? renderCall(result, exchange, subject);
  const reply = isPromise(rendering) ? await rendering : rendering;
  return own.session ? withSession(reply, own.session, result, context) : reply;
}

/** Whether an argument has a value. Models write an empty text or null for arguments that they mean to leave out. */
export function isGiven(argument: unknown): boolean {
  return argument !== undefined && argument !== null && argument !== "";
}

function withoutSession({ session, ...own }: Record<string, unknown>): Record<string, unknown> {
  return own;
}

/** Runs a call for a client without sessions: it sends a handle as an argument, or gets one with the result. */
async function inSession(
  exchange: Exchange,
  subject: Subject,
  params: unknown,
  own: NamedCall,
  given: unknown,
  calling: Calling,
): Promise<MethodReply> {
  const earlier = await exchange.dialect.sessionOfEarlierTurn?.(exchange, subject, params);
  const opened = await toolSession(exchange.context, earlier ?? given);
  if (opened === undefined) {
    return { result: failed({ message: "The session is unknown or has expired; leave it out to start a new one" }) };
  }
  // A repeat with answers continues the session that the first turn started. For the caller, it still starts one.
  const session = { ...opened, begins: given === undefined && (earlier === undefined || "further") } as ToolSession;
  return carryOut(exchange, { ...subject, session: opened.handle }, params, { ...own, session }, calling);
}

/** Adds the session handle if the tool has run: that of this call, or of the earlier call whose result is replayed. */
async function withSession(
  reply: MethodReply,
  session: ToolSession,
  result: CallResult,
  context: RequestContext,
): Promise<MethodReply> {
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
