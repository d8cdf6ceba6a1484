/** Passes messages between the connections of a session, which may reach different isolates, through its mailbox. */

import { isRecord } from "../../../core/lib/json.ts";
import type { Elicitation, InputResponses } from "../../../core/model/call.ts";
import { AnsweredWithError, NotAnswered, type Question } from "../../../core/model/elicitation.ts";
import { partitionOf } from "../../../core/model/principal.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { RpcId, RpcRequest } from "../../json-rpc.ts";
import type { ValidMessage } from "../transport/era.ts";
import type { Drained, Exchange } from "../transport/exchange.ts";
import { NO_CAPABILITIES, toRequest } from "../wire/capabilities.ts";
import { type McpSession, relayBox } from "./sessions.ts";

/** Milliseconds before a running call starts to watch its mailbox. Most calls end sooner and never contact it. */
const WATCH_AFTER_MS = 250;

/** Watches for `notifications/cancelled` and for a GET that resumes the request's stream, both on other connections. */
export function watch({ id }: RpcRequest, exchange: Exchange): (() => void) | undefined {
  const { context, session } = exchange;
  if (session === undefined) return undefined;
  const { relay, defer } = context.runtime;
  const box = relayBox(context, session);
  const since = Date.now();
  let call: string | undefined;
  const listen = async () => {
    call = crypto.randomUUID();
    const running = { call, request: relayId(id), stream: exchange.resumable?.stream, since };
    for (;;) {
      const signal = await relay.watch(box, running);
      if (signal === "cancelled") return exchange.cancel();
      if (signal === undefined) return;
      exchange.resume();
    }
  };
  // Without its mailbox, a call just gets no signals.
  const timer = setTimeout(() => void listen().catch(() => {}), WATCH_AFTER_MS);
  return () => {
    clearTimeout(timer);
    if (call !== undefined) defer(relay.unwatch(box, call).catch(() => {}));
  };
}

const NO_ELICITATION: Elicitation = { capabilities: NO_CAPABILITIES };

/** Asks a client during a call, with a request on the call's stream. The answer arrives on another connection. */
export function askLive(
  exchange: Exchange,
  _answers: InputResponses | undefined,
  sink: Drained | undefined,
): Elicitation {
  const { context, session, capabilities } = exchange;
  // Without a session the answer could not be routed to this call, and without a stream the client cannot be asked.
  if (session === undefined) return NO_ELICITATION;
  const { stream } = exchange;
  if (stream === undefined) return NO_ELICITATION;
  /** Elicitation ids of the pages to which the user was sent, by URL. */
  const visits = new Map<string, string>();
  const ask = async (question: Question): Promise<unknown> => {
    const id = `ask-${crypto.randomUUID()}`;
    const box = relayBox(context, session);
    const { relay } = context.runtime;
    await sink?.drained();
    // The mailbox accepts only answers to open questions, so open the question before sending it.
    await relay.open(box, id);
    // The call has already ended, because its tool did not wait for the answer.
    if (stream.isDone) throw new NotAnswered();
    if (question.kind === "page") visits.set(question.url, question.id ?? id);
    exchange.hasAsked(id);
    stream.send({ jsonrpc: "2.0", id, ...toRequest(question, session.revision >= "2025-11-25", id) });
    const text = await relay.take(box, id);
    exchange.isAnswered(id);
    // The session has ended.
    if (text === undefined) throw new NotAnswered();
    const answer: unknown = JSON.parse(text);
    if (!exchange.holdAnswers(text.length, answer)) throw new NotAnswered(NO_ROOM);
    // Some serializers send null for `error` if there is a result.
    if (!isRecord(answer) || (answer.error ?? null) !== null) throw new AnsweredWithError();
    return answer.result;
  };
  const whileWaiting = async <Found>(wait: () => Promise<Found>): Promise<Found> => {
    const { questions } = context.runtime;
    const turn = questions?.begin(partitionOf(context.principal));
    if (questions && turn === undefined) throw new NotAnswered(TOO_MANY);
    if (turn) exchange.atEnd(turn.end);
    try {
      return await wait();
    } finally {
      turn?.end();
    }
  };
  return {
    capabilities,
    // 2025-11-25, client/elicitation, Completion Notifications.
    visited(url) {
      const elicitationId = visits.get(url);
      if (elicitationId === undefined || stream.isDone || session.revision < "2025-11-25") return;
      stream.send({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId } });
    },
    whileWaiting,
    elicit: (question) => whileWaiting(() => ask(question)),
  };
}

const TOO_MANY = "Too many calls of this caller wait for their users";
const NO_ROOM = "The call is over, or this caller's other large requests and answers take all the room";

/** Ids of the server's own requests. The client's answers have the same ids. */
const OWN_ID = /^ask-[0-9a-f-]{36}$/;

function isOwnId(id: unknown): id is string {
  return typeof id === "string" && OWN_ID.test(id);
}

/** Delivers answers and cancellations to the mailbox, where a call in another isolate may wait for them. */
export async function deliver(
  context: RequestContext,
  message: ValidMessage,
  session: McpSession | undefined,
): Promise<void> {
  if (session === undefined) return;
  const { relay } = context.runtime;
  if (message.kind === "response" && isOwnId(message.id)) {
    const { result, error } = message;
    await relay.answer(relayBox(context, session), message.id, JSON.stringify({ result, error }));
  }
  if (message.kind === "notification" && message.method === "notifications/cancelled") {
    const { requestId } = (message.params ?? {}) as { requestId?: unknown };
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    await relay.cancel(relayBox(context, session), relayId(requestId));
  }
}

/** A request's id as the mailbox stores it. As JSON text, 1 and "1" are different. */
function relayId(id: RpcId): string {
  return JSON.stringify(id);
}
