/** Asks a client with an `input_required` result, and reads its answers when it calls again (basic/patterns/mrtr). */

import { hashOf } from "../../../core/call/questions.ts";
import { fromBase64Url, toBase64Url } from "../../../core/crypto/encoding.ts";
import { readToken, signToken } from "../../../core/crypto/signed-token.ts";
import type { Signer } from "../../../core/crypto/signer.ts";
import { isRecord } from "../../../core/lib/json.ts";
import type { InputResponses } from "../../../core/model/call.ts";
import type { Outcome } from "../../../core/model/outcome.ts";
import { BUSY } from "../../../http/body.ts";
import type { Exchange, ReadAnswers, Subject } from "../transport/exchange.ts";
import { toRequest } from "../wire/capabilities.ts";
import { CODE, error, type Rendered } from "../wire/codes.ts";

/** Reads the answers and the state that a client sends when it repeats a call. */
export async function readInputResponses(
  exchange: Exchange,
  subject: Subject,
  { inputResponses = null, requestState = null }: Readonly<Record<string, unknown>>,
): Promise<ReadAnswers> {
  const state = await stateOf(exchange, subject, requestState);
  // MRTR, Server Requirements: "MUST reject state that fails verification".
  if (requestState !== null && state === undefined) {
    return { refused: error(CODE.invalidParams, "The requestState is invalid for this call or has expired") };
  }
  if (typeof requestState === "string" && !exchange.holdAnswers(requestState.length, state)) {
    const { message, status, headers } = BUSY;
    return { refused: { ...error(CODE.invalidRequest, message), status, headers } };
  }
  if (inputResponses !== null && !isRecord(inputResponses)) {
    return { refused: error(CODE.invalidParams, "params.inputResponses must be an object") };
  }
  return { answers: state ? answersTo(state, inputResponses ?? {}) : withoutState(inputResponses ?? {}) };
}

/** Handle of the session in which the call asked its questions. The repeated call continues it. */
export async function sessionOfState(
  exchange: Exchange,
  subject: Subject,
  params: unknown,
): Promise<string | undefined> {
  return (await stateOf(exchange, subject, (params as Record<string, unknown>).requestState))?.session;
}

/** @returns undefined if `sent` is not a valid state of this call */
async function stateOf(
  { context: { runtime, principal } }: Exchange,
  { method, about }: Subject,
  sent: unknown,
): Promise<RequestState | undefined> {
  if (typeof sent !== "string") return undefined;
  return readState(runtime.signer, { principal: principal.id, method, about }, sent);
}

/** Keeps earlier answers, and adds answers to open questions. Any other answers are ignored. */
function answersTo({ open, answered }: RequestState, responses: Record<string, unknown>): InputResponses {
  const before = Object.entries(answered).map(([name, [question, answer]]) => [name, { question, answer }] as const);
  const now = Object.entries(open).flatMap(([name, question]) =>
    Object.hasOwn(responses, name) ? [[name, { question, answer: responses[name] }] as const] : [],
  );
  return new Map([...now, ...before]);
}

/**
 * Answers without a requestState, so there is no record of the questions. Real clients do not send them, but the
 * official conformance suite does.
 */
function withoutState(responses: Record<string, unknown>): InputResponses {
  return new Map(Object.entries(responses).map(([name, answer]) => [name, { question: undefined, answer }]));
}

/** Renders questions (MRTR, InputRequiredResult). The client calls again with the answers. */
export async function inputRequired(
  { context: { runtime, principal } }: Exchange,
  { method, about, session }: Subject,
  { questions, answered }: Outcome & { kind: "asking" },
): Promise<Rendered> {
  const asked = [...questions];
  const hashes = asked.map(async ([name, question]) => [name, await hashOf(question)] as const);
  const state: RequestState = {
    open: Object.fromEntries(await Promise.all(hashes)),
    answered: Object.fromEntries(
      Array.from(answered, ([name, { question = "", answer }]) => [name, [question, answer]]),
    ),
    session,
  };
  const binding = { principal: principal.id, method, about };
  const requests = asked.map(([name, question]) => [name, toRequest(question, true)]);
  return {
    result: {
      resultType: "input_required",
      inputRequests: Object.fromEntries(requests),
      requestState: await signState(runtime.signer, binding, state),
    },
  };
}

/**
 * `requestState` (2026-07-28, basic/patterns/mrtr): the questions and answers of a call so far, which the client sends
 * back. It is signed, so that the client cannot change it; bound to principal, method and parameters, so that it is not
 * valid for another call; and short-lived.
 */
interface RequestState {
  /** Hashes of unanswered questions, by name. */
  readonly open: Readonly<Record<string, string>>;
  /** Hash and answer of answered questions, by name. */
  readonly answered: Readonly<Record<string, readonly [question: string, answer: unknown]>>;
  /** Handle of the session that the call starts or continues, if its tool uses one. */
  readonly session?: string | undefined;
}

/** Seconds that a person has to answer. */
const LIFETIME_S = 15 * 60;

interface Binding extends Pick<Subject, "method" | "about"> {
  readonly principal: string;
}

async function signState(signer: Signer, binding: Binding, state: RequestState): Promise<string> {
  const payload = JSON.stringify({ until: Math.floor(Date.now() / 1000) + LIFETIME_S, state });
  const body = toBase64Url(new TextEncoder().encode(payload));
  return signToken(signer, body, bound(binding, body));
}

/** @returns undefined if the state was changed, belongs to another call or principal, or has expired */
async function readState(signer: Signer, binding: Binding, signed: string): Promise<RequestState | undefined> {
  const body = await readToken(signer, signed, (text) => bound(binding, text));
  const raw = body === undefined ? undefined : fromBase64Url(body);
  const payload: unknown = raw && JSON.parse(new TextDecoder().decode(raw));
  if (!isRecord(payload) || typeof payload.until !== "number" || payload.until * 1000 < Date.now()) return undefined;
  // The signature is valid, but an earlier deployment may have signed another shape.
  const { state } = payload;
  return isRecord(state) && isRecord(state.open) && isRecord(state.answered)
    ? (state as unknown as RequestState)
    : undefined;
}

function bound({ principal, method, about }: Binding, body: string): readonly unknown[] {
  return ["mcp-request-state", principal, method, about, body];
}
