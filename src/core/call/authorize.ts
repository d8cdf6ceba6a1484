/**
 * Decides whether a principal may call an offer that is visible to it: scopes, rate, requirements. The catalogue hides
 * all others.
 */
import { describeError } from "../lib/log.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Caller, Granted } from "../model/call.ts";
import type { Refusal } from "../model/outcome.ts";
import { lacking, type Principal, partitionOf } from "../model/principal.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";
import { resolveRequirements } from "./requirements.ts";

/** Milliseconds after which a limit of calls per minute has certainly passed. */
export const MINUTE_MS = 60_000;

export type Authorized = { readonly granted: Granted } | { readonly refusal: Refusal };

/** Authorizes a call. Never throws and never rejects. Returns a promise only if calls of this offer are counted. */
export function authorize(offer: Offer, caller: Caller, runtime: Runtime): MaybePromise<Authorized> {
  const refusal = missingScopes(offer, caller.principal);
  if (refusal) return { refusal };
  if (offer.traits.rate === undefined) return grant(offer, caller, runtime);
  return countThenGrant(offer.traits.rate, offer, caller, runtime);
}

/**
 * Checks only scopes; does not count the call.
 *
 * @returns undefined if the principal has them all
 */
export function missingScopes({ id, traits: { scopes } }: Offer, principal: Principal): Refusal | undefined {
  // Name all scopes, not only the missing ones, so that one visit to the authorization server is enough.
  return lacking(scopes, principal.scopes).length > 0 ? { reason: "scope", name: id, scopes: scopes ?? [] } : undefined;
}

async function countThenGrant(perMinute: number, offer: Offer, caller: Caller, runtime: Runtime): Promise<Authorized> {
  const { id, rateKey = id } = offer;
  try {
    const isWithin = await runtime.rateLimit(perMinute, `${partitionOf(caller.principal)} ${rateKey}`);
    if (isWithin) return grant(offer, caller, runtime);
    return { refusal: { reason: "busy", name: id, perMinute, retryAfterMs: MINUTE_MS } };
  } catch (error) {
    runtime.log({ level: "error", message: "call not counted", tool: id, error: describeError(error) });
    return { refusal: { reason: "unavailable", retryAfterMs: MINUTE_MS } };
  }
}

function grant({ id, name = id, traits }: Offer, caller: Caller, runtime: Runtime): Authorized {
  const resolved = resolveRequirements(traits.requirements, caller.context, runtime.secret);
  if ("granted" in resolved) return resolved;
  return { refusal: { reason: "requirements", name, missing: resolved.missing } };
}
