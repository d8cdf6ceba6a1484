/** Asking a client by a result that asks, and reading what it answers when it calls again (basic/patterns/mrtr). */

import { canonical, isRecord } from "../../../../core/lib/json.ts";
import type { MaybePromise } from "../../../../core/lib/maybe-promise.ts";
import type { InputResponses } from "../../../../core/model/call.ts";
import type { Outcome } from "../../../../core/model/outcome.ts";
import { fromBase64Url, type Signer, toBase64Url } from "../../../../core/ports/signed-handles.ts";
import { hashOf } from "../../../../core/run/questions.ts";
import type { Beside, Subject } from "../../transport/dialect.ts";
import type { Exchange } from "../../transport/exchange.ts";
import { toRequest } from "../../wire/capabilities.ts";
import { CODE, error, type Rendered } from "../../wire/codes.ts";

/** What a client sent along with a call that it repeats. */
export function readInputResponses(exchange: Exchange, subject: Subject, params: unknown): MaybePromise<Beside> {
  const { inputResponses = null, requestState = null } = params as Record<string, unknown>;
  const none = inputResponses === null && requestState === null;
  return none ? NO_ANSWERS : readSent(exchange, subject, { inputResponses, requestState });
}

const NO_ANSWERS: Beside = { answers: undefined };

/** The session that a call went on with when it asked: its repeat is in the same one. */
export async function sessionOfState(
  exchange: Exchange,
  subject: Subject,
  params: unknown,
): Promise<string | undefined> {
  return (await stateOf(exchange, subject, (params as Record<string, unknown>).requestState))?.session;
}

/** @returns undefined for what is no state of this call */
async function stateOf(
  { context: { runtime, principal } }: Exchange,
  { method, about }: Subject,
  sent: unknown,
): Promise<RequestState | undefined> {
  if (typeof sent !== "string") return undefined;
  return openState(runtime.signer, { principal: principal.id, method, about }, sent, Date.now());
}

async function readSent(
  exchange: Exchange,
  subject: Subject,
  { inputResponses, requestState }: { readonly inputResponses: unknown; readonly requestState: unknown },
): Promise<Beside> {
  const state = await stateOf(exchange, subject, requestState);
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

/** The result that asks (MRTR, InputRequiredResult): the client calls again with the answers. */
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
      requestState: await sealState(runtime.signer, binding, state, Date.now()),
    },
  };
}

/**
 * `requestState` (2026-07-28, basic/patterns/mrtr): what a call was asked and answered so far, carried by the client.
 * Signed, so that it cannot be changed; bound to principal, method and parameters, so that it fits no other call; and
 * short-lived.
 */
interface RequestState {
  /** Questions that wait for an answer: hashes by name. */
  readonly open: Readonly<Record<string, string>>;
  /** Questions that were answered: hash and answer by name. */
  readonly answered: Readonly<Record<string, readonly [question: string, answer: unknown]>>;
  /** Handle of the session that the call began or goes on with, for a tool that wants one. */
  readonly session?: string | undefined;
}

/** Seconds in which a person has to answer. */
const LIFETIME_S = 15 * 60;

/** What a state is good for. */
interface Binding extends Pick<Subject, "method" | "about"> {
  readonly principal: string;
}

async function sealState(signer: Signer, binding: Binding, state: RequestState, nowMs: number): Promise<string> {
  const payload = JSON.stringify({ until: Math.floor(nowMs / 1000) + LIFETIME_S, state });
  const body = toBase64Url(new TextEncoder().encode(payload));
  return `${body}.${await signer.sign(bound(binding, body))}`;
}

/** @returns undefined for a state that was changed, is of another call or another principal, or has expired */
async function openState(
  signer: Signer,
  binding: Binding,
  sealed: string,
  nowMs: number,
): Promise<RequestState | undefined> {
  const [body, signature, ...rest] = sealed.split(".");
  if (!body || !signature || rest.length > 0) return undefined;
  if (!(await signer.verify(bound(binding, body), signature))) return undefined;
  const raw = fromBase64Url(body);
  const payload: unknown = raw && JSON.parse(new TextDecoder().decode(raw));
  if (!isRecord(payload) || typeof payload.until !== "number" || payload.until * 1000 < nowMs) return undefined;
  // We signed it, but perhaps an earlier deployment, in another shape.
  const { state } = payload;
  return isRecord(state) && isRecord(state.open) && isRecord(state.answered)
    ? (state as unknown as RequestState)
    : undefined;
}

function bound({ principal, method, about }: Binding, body: string): string {
  return canonical(["mcp-request-state", principal, method, about, body]);
}
