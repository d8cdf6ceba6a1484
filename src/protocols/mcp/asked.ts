/** Asking the client while a method runs: by a request on its stream (legacy), or by a result that asks (modern). */
import { NotAnswered, type Question } from "../../core/ask.ts";
import type { Asking } from "../../core/call.ts";
import { isRecord } from "../../core/json.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Soon } from "../../core/soon.ts";
import { NOTHING, toRequest } from "./asking.ts";
import { CODE, error } from "./render.ts";
import { type About, type Answers, type Binding, openState, sealState } from "./request-state.ts";
import { boxOf } from "./session.ts";
import type { ClientSink } from "./sink.ts";
import type { MethodReply, Turn } from "./turn.ts";

/** Ids of our own requests; the client's answers come back under them, on another connection. */
const OWN_ID = /^ask-[0-9a-f-]{36}$/;

export function isOwnId(id: unknown): id is string {
  return typeof id === "string" && OWN_ID.test(id);
}

/** How this turn's client is asked, behind what was told it before. @param answers of a modern call that comes again */
export function askingOf(turn: Turn, answers: Answers | undefined, sink: ClientSink | undefined): Asking {
  if (turn.manner.kind === "modern") return { can: turn.can, ...(answers && { answers }) };
  const { session } = turn;
  // Without a session there is no telling where the answer will arrive, and without a stream no way to ask.
  if (session === undefined) return MUTE;
  const { channel } = turn;
  if (channel === undefined) return MUTE;
  return {
    can: turn.can,
    async ask(_, question) {
      const id = `ask-${crypto.randomUUID()}`;
      const box = boxOf(turn.visit, session);
      const { mail } = turn.visit.host;
      await sink?.drained();
      // Only an answer to a question that is open is taken: it must be before it is asked.
      await mail.open(box, id);
      // A tool that did not wait for the answer has ended meanwhile.
      if (channel.isDone) throw new NotAnswered();
      channel.send({ jsonrpc: "2.0", id, ...toRequest(question, session.revision, id) });
      const answer: unknown = JSON.parse((await mail.take(box, id)) ?? "null");
      if (isRecord(answer) && answer.result !== undefined) return answer.result;
      throw new NotAnswered();
    },
  };
}

/** What a modern client sent along with a call that it repeats. */
export function readAnswers(turn: Turn, about: About, params: Record<string, unknown>): Soon<ReadAnswers> {
  const { inputResponses = null, requestState = null } = params;
  const none = inputResponses === null && requestState === null;
  return none || turn.manner.kind !== "modern" ? NO_ANSWERS : readSent(turn, about, params);
}

function bindingOf({ visit }: Turn, { method, about }: About): Binding {
  return { principal: visit.principal.id, method, about };
}

export type ReadAnswers = { readonly answers: Answers | undefined } | { readonly refused: MethodReply };
const NO_ANSWERS: ReadAnswers = { answers: undefined };
/** For who can be asked nothing. */
const MUTE: Asking = { can: NOTHING };

async function readSent(
  turn: Turn,
  about: About,
  { inputResponses = null, requestState = null }: Record<string, unknown>,
): Promise<ReadAnswers> {
  const { host } = turn.visit;
  let answers: Answers | undefined;
  if (requestState !== null) {
    if (typeof requestState === "string")
      answers = await openState(host.signer, bindingOf(turn, about), requestState, Date.now());
    // MRTR, Server Requirements: "MUST reject state that fails verification".
    if (answers === undefined) {
      return { refused: error(CODE.invalidParams, "The requestState is not of this call, or has expired") };
    }
  }
  if (inputResponses === null) return { answers };
  if (!isRecord(inputResponses)) {
    return { refused: error(CODE.invalidParams, "params.inputResponses must be an object") };
  }
  return { answers: { ...answers, ...inputResponses } };
}

/** MRTR, InputRequiredResult. */
export async function inputRequired(
  turn: Turn,
  about: About,
  { questions, answered }: Outcome & { kind: "asking" },
): Promise<MethodReply> {
  const revision = turn.manner.kind === "modern" ? turn.manner.revision : "2026-07-28";
  const asked = Array.from(questions, ([key, question]: [string, Question]) => [
    key,
    toRequest(question, revision, key),
  ]);
  const requestState = await sealState(turn.visit.host.signer, bindingOf(turn, about), answered, Date.now());
  return { result: { resultType: "input_required", inputRequests: Object.fromEntries(asked), requestState } };
}
