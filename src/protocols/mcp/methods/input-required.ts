/** Asking the client while a method runs: by a request on its stream (legacy), or by a result that asks (modern). */

import { isRecord } from "../../../core/lib/json.ts";
import type { MaybePromise } from "../../../core/lib/maybe-promise.ts";
import type { Elicitation, InputResponses } from "../../../core/model/call.ts";
import { NotAnswered } from "../../../core/model/elicitation.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import { hashOf } from "../../../core/run/questions.ts";
import type { Exchange, MethodReply } from "../transport/exchange.ts";
import type { NotificationSink } from "../transport/notifications.ts";
import { relayBox } from "../transport/sessions.ts";
import { CODE, error } from "../wire/codes.ts";
import { NO_CAPABILITIES, toRequest } from "../wire/elicitation.ts";
import { type About, openState, type RequestState, sealState } from "../wire/request-state.ts";
import { MODERN_REVISION } from "../wire/revisions.ts";

/**
 * How this turn's client is asked, behind what was told it before.
 *
 * @param answers sent with a modern call when its client calls again
 */
export function elicitationFor(
  exchange: Exchange,
  answers: InputResponses | undefined,
  sink: NotificationSink | undefined,
): Elicitation {
  if (exchange.dialect.kind === "modern") return { capabilities: exchange.capabilities, ...(answers && { answers }) };
  const { session } = exchange;
  // Without a session there is no telling where the answer will arrive, and without a stream no way to ask.
  if (session === undefined) return MUTE;
  const { stream } = exchange;
  if (stream === undefined) return MUTE;
  return {
    capabilities: exchange.capabilities,
    async elicit(question) {
      const id = `ask-${crypto.randomUUID()}`;
      const box = relayBox(exchange.context, session);
      const { relay } = exchange.context.runtime;
      await sink?.drained();
      // The mailbox takes answers to open questions only: open it before sending.
      await relay.open(box, id);
      // A tool that did not wait for the answer has ended meanwhile.
      if (stream.isDone) throw new NotAnswered();
      stream.send({ jsonrpc: "2.0", id, ...toRequest(question, session.revision, id) });
      const answer: unknown = JSON.parse((await relay.take(box, id)) ?? "null");
      // Some serializers send the absent one of result and error as null.
      if (!isRecord(answer) || (answer.error ?? null) !== null) throw new NotAnswered();
      return answer.result;
    },
  };
}

/** What a modern client sent along with a call that it repeats. */
export function readInputResponses(
  exchange: Exchange,
  about: About,
  params: Record<string, unknown>,
): MaybePromise<ReadInputResponses> {
  const { inputResponses = null, requestState = null } = params;
  const none = inputResponses === null && requestState === null;
  return none || exchange.dialect.kind !== "modern" ? NO_ANSWERS : readSent(exchange, about, params);
}

/** The session that a call went on with when it asked: its repeat is in the same one. */
export async function sessionOfState(
  exchange: Exchange,
  about: About,
  { requestState }: Record<string, unknown>,
): Promise<string | undefined> {
  return (await stateOf(exchange, about, requestState))?.session;
}

/** @returns undefined for what is no state of this call */
async function stateOf(exchange: Exchange, { method, about }: About, sent: unknown): Promise<RequestState | undefined> {
  if (typeof sent !== "string" || exchange.dialect.kind !== "modern") return undefined;
  const { runtime, principal } = exchange.context;
  return openState(runtime.signer, { principal: principal.id, method, about }, sent, Date.now());
}

export type ReadInputResponses = { readonly answers: InputResponses | undefined } | { readonly refused: MethodReply };
const NO_ANSWERS: ReadInputResponses = { answers: undefined };
/** For callers that cannot be asked anything. */
const MUTE: Elicitation = { capabilities: NO_CAPABILITIES };

async function readSent(
  exchange: Exchange,
  about: About,
  { inputResponses = null, requestState = null }: Record<string, unknown>,
): Promise<ReadInputResponses> {
  const state = await stateOf(exchange, about, requestState);
  // MRTR, Server Requirements: "MUST reject state that fails verification".
  if (requestState !== null && state === undefined) {
    return { refused: error(CODE.invalidParams, "The requestState is not of this call, or has expired") };
  }
  if (inputResponses !== null && !isRecord(inputResponses)) {
    return { refused: error(CODE.invalidParams, "params.inputResponses must be an object") };
  }
  return { answers: state ? answersTo(state, inputResponses ?? {}) : unasked(inputResponses ?? {}) };
}

/** What was answered before stays as it is; to that come answers to what is open, and to nothing else. */
function answersTo({ open, answered }: RequestState, responses: Record<string, unknown>): InputResponses {
  const before = Object.entries(answered).map(([name, [question, answer]]) => [name, { question, answer }] as const);
  const now = Object.entries(open).flatMap(([name, question]) =>
    Object.hasOwn(responses, name) ? [[name, { question, answer: responses[name] }] as const] : [],
  );
  return new Map([...now, ...before]);
}

/**
 * Answers without a requestState, so to questions we have no record of. Real clients do not send them; the official
 * suite does.
 */
function unasked(responses: Record<string, unknown>): InputResponses {
  return new Map(Object.entries(responses).map(([name, answer]) => [name, { question: undefined, answer }]));
}

/**
 * MRTR, InputRequiredResult.
 *
 * @param about its `session` is the handle of the one that the call is in
 */
export async function inputRequired(
  exchange: Exchange,
  about: About & { readonly session?: string | undefined },
  { questions, answered }: Outcome & { kind: "asking" },
): Promise<MethodReply> {
  const { runtime, principal } = exchange.context;
  const asked = [...questions];
  const hashes = asked.map(async ([name, question]) => [name, await hashOf(question)] as const);
  const state: RequestState = {
    open: Object.fromEntries(await Promise.all(hashes)),
    answered: Object.fromEntries(
      Array.from(answered, ([name, { question = "", answer }]) => [name, [question, answer]]),
    ),
    session: about.session,
  };
  const binding = { principal: principal.id, method: about.method, about: about.about };
  const requests = asked.map(([name, question]) => [name, toRequest(question, MODERN_REVISION, name)]);
  return {
    result: {
      resultType: "input_required",
      inputRequests: Object.fromEntries(requests),
      requestState: await sealState(runtime.signer, binding, state, Date.now()),
    },
  };
}
