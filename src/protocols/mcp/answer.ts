/** Answers one request: finds its method in the era's table, gives it a channel and a way to be cancelled. */
import { isRecord } from "../../core/json.ts";
import { describeError } from "../../core/log.ts";
import type { Soon } from "../../core/soon.ts";
import type { Visit } from "../http.ts";
import type { RpcId, RpcRequest } from "../json-rpc.ts";
import { abilitiesOf } from "./asking.ts";
import type { Final } from "./channel.ts";
import { legacyMethods, negotiate } from "./legacy.ts";
import { modernMethods } from "./modern.ts";
import { CODE, error } from "./render.ts";
import { boxOf, type SessionFacts, startSession } from "./session.ts";
import { type Method, type MethodReply, Turn, type TurnFacts } from "./turn.ts";

/** Milliseconds before a running call starts to watch its mailbox: most end sooner and cost nothing. */
const WATCH_AFTER_MS = 250;

export function answer(request: RpcRequest, facts: TurnFacts): Soon<Response> {
  const turn = new Turn(facts);
  const { visit, manner, session } = turn;
  const method = (manner.kind === "modern" ? modernMethods : legacyMethods).get(request.method);
  if (method === undefined) {
    const unknown = error(CODE.unknownMethod, `Method not found: ${request.method}`);
    // 2026-07-28: "it MUST respond with 404 Not Found" (Streamable HTTP, Protocol Version Header).
    return turn.answer(final(request, { ...unknown, ...(manner.kind === "modern" && { status: 404 }) }));
  }
  const reply = safely(method, request, turn);
  if (!(reply instanceof Promise) && request.method !== "initialize") {
    try {
      return turn.answer(final(request, reply));
    } catch (thrown) {
      // A value that was carried by JSON once, and is not any more.
      return turn.answer(final(request, broken(thrown, visit)));
    }
  }
  const unwatch = session && watch(request, session, turn);
  return turn.answer(conclude(request, turn, reply, unwatch));
}

/** The last message of a method that takes its time. Never rejects. */
async function conclude(
  request: RpcRequest,
  turn: Turn,
  reply: Soon<MethodReply>,
  unwatch: (() => void) | undefined,
): Promise<Final> {
  try {
    const said = await reply;
    return final(request, said, request.method === "initialize" ? await sessionHeader(request, turn) : undefined);
  } catch (thrown) {
    return final(request, broken(thrown, turn.visit));
  } finally {
    unwatch?.();
  }
}

function safely(method: Method, request: RpcRequest, turn: Turn): Soon<MethodReply> {
  try {
    return method(request, turn);
  } catch (thrown) {
    return broken(thrown, turn.visit);
  }
}

/** A store that cannot be reached, or a fault of ours: the answer goes out under its id all the same. */
function broken(thrown: unknown, { host }: Visit): MethodReply {
  host.log({ level: "error", message: "unhandled", error: describeError(thrown) });
  return { ...error(CODE.internal, "Internal error"), status: 500 };
}

function final({ id }: RpcRequest, reply: MethodReply, headers?: Record<string, string>): Final {
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
  { visit, manner }: Turn,
): Promise<Record<string, string> | undefined> {
  const revision = manner.kind === "modern" ? undefined : negotiate(params);
  if (revision === undefined) return undefined;
  const can = abilitiesOf(isRecord(params) ? params.capabilities : undefined);
  return { "mcp-session-id": await startSession(visit, revision, can) };
}

/**
 * `notifications/cancelled` and a GET for the request's stream come on other connections, perhaps to other isolates: a
 * mailbox brings signals of them here.
 */
function watch({ id }: RpcRequest, session: SessionFacts, turn: Turn): () => void {
  const { mail, defer } = turn.visit.host;
  const box = boxOf(turn.visit, session);
  const since = Date.now();
  let call: string | undefined;
  const listen = async () => {
    call = crypto.randomUUID();
    const running = { call, request: idInMail(id), stream: turn.streamAddress?.stream, since };
    for (;;) {
      const signal = await mail.watch(box, running);
      if (signal === "cancelled") return turn.end();
      if (signal === undefined) return;
      turn.resume();
    }
  };
  // A mailbox that cannot be reached brings no signal.
  const timer = setTimeout(() => void listen().catch(() => {}), WATCH_AFTER_MS);
  return () => {
    clearTimeout(timer);
    if (call !== undefined) defer(mail.unwatch(box, call).catch(() => {}));
  };
}

/** A request's id as the mailbox knows it: 1 and "1" are two. */
export function idInMail(id: RpcId): string {
  return JSON.stringify(id);
}
