/** Asking the client while a method runs: by a request on its stream (legacy), or by a result that asks (modern). */
import { NotAnswered } from "../../core/ask.ts";
import type { Answers, Asking } from "../../core/call.ts";
import { isRecord } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import { hashOf } from "../../core/questions.ts";
import type { Soon } from "../../core/soon.ts";
import { NOTHING, toRequest } from "./asking.ts";
import { CODE, error } from "./render.ts";
import { type About, openState, type RequestState, sealState } from "./request-state.ts";
import { MODERN_REVISION } from "./revisions.ts";
import { boxOf } from "./session.ts";
import type { ClientSink } from "./sink.ts";
import type { MethodReply, Turn } from "./turn.ts";

/** Ids of our own requests; the client's answers come back under them, on another connection. */
const OWN_ID = /^ask-[0-9a-f-]{36}$/;

export function isOwnId(id: unknown): id is string {
  return typeof id === "string" && OWN_ID.test(id);
}

/**
 * How this turn's client is asked, behind what was told it before.
 *
 * @param answers sent with a modern call when its client calls again
 */
export function askingOf(turn: Turn, answers: Answers | undefined, sink: ClientSink | undefined): Asking {
  if (turn.manner.kind === "modern") return { can: turn.can, ...(answers && { answers }) };
  const { session } = turn;
  // Without a session there is no telling where the answer will arrive, and without a stream no way to ask.
  if (session === undefined) return MUTE;
  const { channel } = turn;
  if (channel === undefined) return MUTE;
  return {
    can: turn.can,
    async ask(question) {
      const id = `ask-${crypto.randomUUID()}`;
      const box = boxOf(turn.visit, session);
      const { mail } = turn.visit.host;
      await sink?.drained();
      // The mailbox takes answers to open questions only: open it before sending.
      await mail.open(box, id);
      // A tool that did not wait for the answer has ended meanwhile.
      if (channel.isDone) throw new NotAnswered();
      channel.send({ jsonrpc: "2.0", id, ...toRequest(question, session.revision, id) });
      const answer: unknown = JSON.parse((await mail.take(box, id)) ?? "null");
      // Some serializers send the absent one of result and error as null.
      if (!isRecord(answer) || (answer.error ?? null) !== null) throw new NotAnswered();
      return answer.result;
    },
  };
}

/** What a modern client sent along with a call that it repeats. */
export function readAnswers(turn: Turn, about: About, params: Record<string, unknown>): Soon<ReadAnswers> {
  const { inputResponses = null, requestState = null } = params;
  const none = inputResponses === null && requestState === null;
  return none || turn.manner.kind !== "modern" ? NO_ANSWERS : readSent(turn, about, params);
}

/** The session that a call went on with when it asked: its repeat is in the same one. */
export async function sessionOfState(
  turn: Turn,
  about: About,
  { requestState }: Record<string, unknown>,
): Promise<string | undefined> {
  return (await stateOf(turn, about, requestState))?.session;
}

/** @returns undefined for what is no state of this call */
async function stateOf(turn: Turn, { method, about }: About, sent: unknown): Promise<RequestState | undefined> {
  if (typeof sent !== "string" || turn.manner.kind !== "modern") return undefined;
  const { host, principal } = turn.visit;
  return openState(host.signer, { principal: principal.id, method, about }, sent, Date.now());
}

export type ReadAnswers = { readonly answers: Answers | undefined } | { readonly refused: MethodReply };
const NO_ANSWERS: ReadAnswers = { answers: undefined };
/** For callers that cannot be asked anything. */
const MUTE: Asking = { can: NOTHING };

async function readSent(
  turn: Turn,
  about: About,
  { inputResponses = null, requestState = null }: Record<string, unknown>,
): Promise<ReadAnswers> {
  const state = await stateOf(turn, about, requestState);
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
function answersTo({ open, answered }: RequestState, responses: Record<string, unknown>): Answers {
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
function unasked(responses: Record<string, unknown>): Answers {
  return new Map(Object.entries(responses).map(([name, answer]) => [name, { question: undefined, answer }]));
}

/**
 * MRTR, InputRequiredResult.
 *
 * @param about its `session` is the handle of the one that the call is in
 */
export async function inputRequired(
  turn: Turn,
  about: About & { readonly session?: string | undefined },
  { questions, answered }: Outcome & { kind: "asking" },
): Promise<MethodReply> {
  const { host, principal } = turn.visit;
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
      requestState: await sealState(host.signer, binding, state, Date.now()),
    },
  };
}
