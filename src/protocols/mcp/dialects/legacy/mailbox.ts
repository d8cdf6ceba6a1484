/** What a session's connections have to say to each other, perhaps across isolates: by way of its mailbox. */

import type { RequestContext } from "../../../../http/request-context.ts";
import type { RpcId, RpcRequest } from "../../../json-rpc.ts";
import type { ValidMessage } from "../../transport/era.ts";
import type { Exchange } from "../../transport/exchange.ts";
import { isOwnId } from "./elicitation.ts";
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
