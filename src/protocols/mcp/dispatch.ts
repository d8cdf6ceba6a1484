/** Answers one request: finds its method in the era's table, gives it a channel and a way to be cancelled. */
import { isRecord } from "../../core/lib/json.ts";
import { describeError } from "../../core/lib/log.ts";
import { isPromise, settlesAtOnce } from "../../core/lib/maybe-promise.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { RpcId, RpcRequest } from "../json-rpc.ts";
import { legacyMethods, negotiate } from "./dialects/legacy.ts";
import { modernMethods } from "./dialects/modern.ts";
import { Exchange, type ExchangeFacts, type Method, type MethodReply } from "./transport/exchange.ts";
import type { FinalMessage } from "./transport/response-stream.ts";
import { type McpSession, relayBox, startSession } from "./transport/sessions.ts";
import { CODE, error } from "./wire/codes.ts";
import { capabilitiesOf } from "./wire/elicitation.ts";

/** Milliseconds before a running call starts to watch its mailbox: most end sooner and cost nothing. */
const WATCH_AFTER_MS = 250;

export async function dispatch(request: RpcRequest, facts: ExchangeFacts): Promise<Response> {
  const exchange = new Exchange(facts);
  const { dialect, session } = exchange;
  const method = (dialect.kind === "modern" ? modernMethods : legacyMethods).get(request.method);
  if (method === undefined) {
    const unknown = error(CODE.unknownMethod, `Method not found: ${request.method}`);
    // 2026-07-28: "it MUST respond with 404 Not Found" (Streamable HTTP, Protocol Version Header).
    return exchange.respond(finalMessage(request, { ...unknown, ...(dialect.kind === "modern" && { status: 404 }) }));
  }
  const replying = reply(method, request, exchange);
  if (session === undefined) return exchange.respond(replying);
  // A method that is done at once needs no watch: nobody can cancel it in time.
  if (await settlesAtOnce(replying)) return exchange.respond(replying);
  const unwatch = watch(request, session, exchange);
  return exchange.respond(replying.finally(unwatch));
}

/** The last message of a request. Never rejects. */
async function reply(method: Method, request: RpcRequest, exchange: Exchange): Promise<FinalMessage> {
  try {
    const replying = method(request, exchange);
    const made = isPromise(replying) ? await replying : replying;
    const headers = request.method === "initialize" ? await sessionHeader(request, exchange) : undefined;
    return finalMessage(request, made, headers);
  } catch (thrown) {
    return finalMessage(request, broken(thrown, exchange.context));
  }
}

/** A store that cannot be reached, or a fault of ours: the answer goes out under its id all the same. */
function broken(thrown: unknown, { runtime }: RequestContext): MethodReply {
  runtime.log({ level: "error", message: "unhandled", error: describeError(thrown) });
  return { ...error(CODE.internal, "Internal error"), status: 500 };
}

function finalMessage({ id }: RpcRequest, reply: MethodReply, headers?: Record<string, string>): FinalMessage {
  const all = reply.headers && headers ? { ...reply.headers, ...headers } : (reply.headers ?? headers);
  if ("resultText" in reply) {
    const { resultText, closed, status } = reply;
    const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
    return { text: `${head}${resultText}}`, status, headers: all, shared: closed && { head, rest: closed } };
  }
  const message =
    "result" in reply ? { jsonrpc: "2.0", id, result: reply.result } : { jsonrpc: "2.0", id, error: reply.error };
  return { text: JSON.stringify(message), status: reply.status, headers: all, shared: undefined };
}

/** A handshake starts a session (2025-11-25, basic/transports, Session Management). */
async function sessionHeader(
  { params }: RpcRequest,
  { context, dialect }: Exchange,
): Promise<Record<string, string> | undefined> {
  const revision = dialect.kind === "modern" ? undefined : negotiate(params);
  if (revision === undefined) return undefined;
  const can = capabilitiesOf(isRecord(params) ? params.capabilities : undefined);
  return { "mcp-session-id": await startSession(context, revision, can) };
}

/**
 * `notifications/cancelled` and a GET for the request's stream come on other connections, perhaps to other isolates: a
 * mailbox brings signals of them here.
 */
function watch({ id }: RpcRequest, session: McpSession, exchange: Exchange): () => void {
  const { relay, defer } = exchange.context.runtime;
  const box = relayBox(exchange.context, session);
  const since = Date.now();
  let call: string | undefined;
  const listen = async () => {
    call = crypto.randomUUID();
    const running = { call, request: idInMail(id), stream: exchange.streamAddress?.stream, since };
    for (;;) {
      const signal = await relay.watch(box, running);
      if (signal === "cancelled") return exchange.end();
      if (signal === undefined) return;
      exchange.resume();
    }
  };
  // A mailbox that cannot be reached brings no signal.
  const timer = setTimeout(() => void listen().catch(() => {}), WATCH_AFTER_MS);
  return () => {
    clearTimeout(timer);
    if (call !== undefined) defer(relay.unwatch(box, call).catch(() => {}));
  };
}

/** A request's id as the mailbox knows it: 1 and "1" are two. */
export function idInMail(id: RpcId): string {
  return JSON.stringify(id);
}
