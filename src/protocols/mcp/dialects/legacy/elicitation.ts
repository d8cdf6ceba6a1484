/** Asking a client while a call runs: by a request on the call's stream, answered on another connection. */

import { isRecord } from "../../../../core/lib/json.ts";
import type { Elicitation, InputResponses } from "../../../../core/model/call.ts";
import { NotAnswered } from "../../../../core/model/elicitation.ts";
import type { Exchange } from "../../transport/exchange.ts";
import type { NotificationSink } from "../../transport/notifications.ts";
import { NO_CAPABILITIES, toRequest } from "../../wire/capabilities.ts";
import { relayBox } from "./sessions.ts";

/** For callers that cannot be asked anything. */
const MUTE: Elicitation = { capabilities: NO_CAPABILITIES };

export function liveElicitation(
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

export function isOwnId(id: unknown): id is string {
  return typeof id === "string" && OWN_ID.test(id);
}
