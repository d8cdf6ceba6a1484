/** Answers one request: finds its method in the era's table, gives it a channel and a way to be cancelled. */

import { isRecord } from "../../core/json.ts";
import { describeError } from "../../core/log.ts";
import { jsonText, type Visit } from "../http.ts";
import type { RpcId, RpcRequest } from "../json-rpc.ts";
import { abilitiesOf } from "./asking.ts";
import { Conversation, type Final, type Resumable } from "./channel.ts";
import { legacyMethods, negotiate } from "./legacy.ts";
import { modernMethods } from "./modern.ts";
import { CODE, error } from "./render.ts";
import { boxOf, type SessionFacts, startSession } from "./session.ts";
import type { MethodReply, Turn } from "./turn.ts";

/** How long a call runs before anyone listens for its cancellation: most are over by then, and cost nothing. */
const WATCH_AFTER_MS = 250;

/**
 * @param resumable where the answer may be picked up, should its stream be lost
 * @param alone     whether it must be a single JSON answer, as a batch's part
 */
export function answer(
  request: RpcRequest,
  { visit, manner, session, can }: Omit<Turn, "channel" | "alone" | "signal" | "isOver">,
  resumable: Resumable | undefined,
  alone = false,
): Response | Promise<Response> {
  const method = (manner.kind === "modern" ? modernMethods : legacyMethods).get(request.method);
  if (method === undefined) {
    const unknown = error(CODE.unknownMethod, `Method not found: ${request.method}`);
    // 2026-07-28: "it MUST respond with 404 Not Found" (Streamable HTTP, Protocol Version Header).
    const { text, status } = final(request, { ...unknown, ...(manner.kind === "modern" && { status: 404 }) });
    return jsonText(text, status);
  }
  // A single answer that nobody waits for any more. A stream says so itself.
  const interest = new Interest(resumable === undefined ? visit.request : undefined);
  const conversation = new Conversation(visit, resumable, () => interest.end());
  const channel = !alone && takesStreams(visit) ? conversation : undefined;
  const turn: Turn = {
    visit,
    manner,
    session,
    can,
    alone,
    channel,
    signal: () => interest.signal,
    isOver: () => interest.isOver,
  };
  const unwatch = session && watchForCancellation(request, session, visit, interest);
  const reply = safely(() => method(request, turn), visit);
  if (reply instanceof Promise || request.method === "initialize") {
    return conversation.answer(conclude(request, turn, reply, unwatch));
  }
  // Methods that answer at once have said nothing before.
  unwatch?.();
  const { text, status, headers } = final(request, reply);
  return jsonText(text, status, headers);
}

/** The last message of a method that takes its time. Never rejects. */
async function conclude(
  request: RpcRequest,
  turn: Turn,
  reply: MethodReply | Promise<MethodReply>,
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

function safely(make: () => MethodReply | Promise<MethodReply>, visit: Visit): MethodReply | Promise<MethodReply> {
  try {
    return make();
  } catch (thrown) {
    return broken(thrown, visit);
  }
}

/** A store that is away, or a fault of ours: the answer goes out under its id all the same. */
function broken(thrown: unknown, { host }: Visit): MethodReply {
  host.log({ level: "error", message: "unhandled", error: describeError(thrown) });
  return { ...error(CODE.internal, "Internal error"), status: 500 };
}

/** Whether the client still waits: its signal is made when somebody asks for it, which most calls end before. */
class Interest {
  readonly #request: Request | undefined;
  #controller: AbortController | undefined;
  isOver = false;

  /** @param request whose client may go; undefined where only {@link end} ends it */
  constructor(request: Request | undefined) {
    this.#request = request;
  }

  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.isOver || this.#request?.signal.aborted) this.#controller.abort();
    else this.#request?.signal.addEventListener("abort", () => this.end());
    return this.#controller.signal;
  }

  end(): void {
    this.isOver = true;
    this.#controller?.abort();
  }
}

/** Clients that do not list event streams get a single JSON answer (curl sends any type, many libraries none). */
export function takesStreams({ request }: Visit): boolean {
  return request.headers.get("accept")?.toLowerCase().includes("text/event-stream") ?? false;
}

function final({ id }: RpcRequest, reply: MethodReply, headers?: Record<string, string>): Final {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  const text =
    "resultText" in reply
      ? `"result":${reply.resultText}}`
      : "result" in reply
        ? `"result":${JSON.stringify(reply.result)}}`
        : `"error":${JSON.stringify(reply.error)}}`;
  const all = reply.headers && headers ? { ...reply.headers, ...headers } : (reply.headers ?? headers);
  return { text: head + text, status: reply.status ?? 200, ...(all && { headers: all }) };
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

/** `notifications/cancelled` comes on another connection, perhaps to another isolate: a mailbox brings it here. */
function watchForCancellation({ id }: RpcRequest, session: SessionFacts, visit: Visit, interest: Interest): () => void {
  const { mail, defer } = visit.host;
  const box = boxOf(visit, session);
  const key = cancellationOf(id);
  let watching = false;
  const timer = setTimeout(() => {
    watching = true;
    mail.take(box, key).then(
      (word) => word === "cancelled" && interest.end(),
      () => {},
    );
  }, WATCH_AFTER_MS);
  return () => {
    clearTimeout(timer);
    // Lets the watch above go.
    if (watching) defer(mail.post(box, key, ["over"], true));
  };
}

/** The key under which a cancellation is left. 1 and "1" are two ids. */
export function cancellationOf(id: RpcId): string {
  return `cancel:${JSON.stringify(id)}`;
}
