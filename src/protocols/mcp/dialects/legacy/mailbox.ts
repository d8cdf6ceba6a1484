/** What a session's connections have to say to each other, perhaps across isolates: by way of its mailbox. */

import { isRecord } from "../../../../core/lib/json.ts";
import type { Elicitation, InputResponses } from "../../../../core/model/call.ts";
import { NotAnswered } from "../../../../core/model/elicitation.ts";
import type { RequestContext } from "../../../../http/request-context.ts";
import type { RpcId, RpcRequest } from "../../../json-rpc.ts";
import type { ValidMessage } from "../../transport/era.ts";
import type { Exchange } from "../../transport/exchange.ts";
import type { NotificationSink } from "../../transport/notifications.ts";
import { NO_CAPABILITIES, toRequest } from "../../wire/capabilities.ts";
import { type McpSession, relayBox } from "./sessions.ts";

/** Milliseconds before a running call starts to watch its mailbox: most end sooner and cost nothing. */
const WATCH_AFTER_MS = 250;

/** `notifications/cancelled` and a GET for the request's stream come on other connections: the mailbox tells of them. */
export function watch({ id }: RpcRequest, exchange: Exchange): (() => void) | undefined {
  const { context, session } = exchange;
  if (session === undefined) return undefined;
  const { relay, defer } = context.runtime;
  const box = relayBox(context, session);
  const since = Date.now();
  let call: string | undefined;
  const listen = async () => {
    call = crypto.randomUUID();
    const running = { call, request: idInMail(id), stream: exchange.resumable?.stream, since };
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

/** For callers that cannot be asked anything. */
const MUTE: Elicitation = { capabilities: NO_CAPABILITIES };

/** Asks a client while its call runs: by a request on the call's stream, answered on another connection. */
export function askLive(
  exchange: Exchange,
  _answers: InputResponses | undefined,
  sink: NotificationSink | undefined,
): Elicitation {
  const { context, session, capabilities } = exchange;
  // Without a session there is no telling where the answer will arrive, and without a stream no way to ask.
  if (session === undefined) return MUTE;
  const { stream } = exchange;
  if (stream === undefined) return MUTE;
  return {
    capabilities,
    async elicit(question) {
      const id = `ask-${crypto.randomUUID()}`;
      const box = relayBox(context, session);
      const { relay } = context.runtime;
      await sink?.drained();
      // The mailbox takes answers to open questions only: open it before sending.
      await relay.open(box, id);
      // A tool that did not wait for the answer has ended meanwhile.
      if (stream.isDone) throw new NotAnswered();
      stream.send({ jsonrpc: "2.0", id, ...toRequest(question, session.revision >= "2025-11-25", id) });
      const answer: unknown = JSON.parse((await relay.take(box, id)) ?? "null");
      // Some serializers send the absent one of result and error as null.
      if (!isRecord(answer) || (answer.error ?? null) !== null) throw new NotAnswered();
      return answer.result;
    },
  };
}

/** Ids of our own requests; the client's answers come back under them. */
const OWN_ID = /^ask-[0-9a-f-]{36}$/;

function isOwnId(id: unknown): id is string {
  return typeof id === "string" && OWN_ID.test(id);
}

/** Answers to our own requests, and cancellations: what a call in another isolate may wait for. */
export async function hear(
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
    await relay.cancel(relayBox(context, session), idInMail(requestId));
  }
}

/** A request's id as the mailbox knows it: 1 and "1" are two. */
function idInMail(id: RpcId): string {
  return JSON.stringify(id);
}
