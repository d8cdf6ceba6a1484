/**
 * `requestState` (2026-07-28, basic/patterns/mrtr): what a call was asked and answered so far, carried by the client.
 * Signed, so that it cannot be changed; bound to principal, method and parameters, so that it fits no other call; and
 * short-lived.
 */

import { canonical, isRecord } from "../../../../core/lib/json.ts";
import { fromBase64Url, type Signer, toBase64Url } from "../../../../core/ports/signed-handles.ts";
import type { Subject } from "../../transport/dialect.ts";

export interface RequestState {
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
export interface Binding extends Pick<Subject, "method" | "about"> {
  readonly principal: string;
}

export async function sealState(signer: Signer, binding: Binding, state: RequestState, nowMs: number): Promise<string> {
  const payload = JSON.stringify({ until: Math.floor(nowMs / 1000) + LIFETIME_S, state });
  const body = toBase64Url(new TextEncoder().encode(payload));
  return `${body}.${await signer.sign(bound(binding, body))}`;
}

/** @returns undefined for a state that was changed, is of another call or another principal, or has expired */
export async function openState(
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
