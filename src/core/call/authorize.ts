/**
 * Decides whether a principal may call a primitive: checks scopes, rate and requirements. Primitives that the principal
 * must not even see are hidden by the catalogue, not here.
 */
import { describeError } from "../lib/log.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import type { Caller, Granted } from "../model/call.ts";
import type { Refusal } from "../model/outcome.ts";
import { lacking, type Principal, partitionOf } from "../model/principal.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";
import { NOTHING_REQUIRED, resolveRequirements } from "./requirements.ts";

/** Milliseconds after which a caller that exceeded a limit per minute can certainly call again. */
export const MINUTE_MS = 60_000;

export type Authorized = { readonly granted: Granted } | { readonly refusal: Refusal };

/** Authorizes a call. Never throws and never rejects. Returns a promise only if calls of this primitive are counted. */
export function authorize(primitive: Primitive, caller: Caller, runtime: Runtime): MaybePromise<Authorized> {
  const refusal = missingScopes(primitive, caller.principal);
  if (refusal) return { refusal };
  if (primitive.options.rate === undefined) return grant(primitive, caller, runtime);
  return countThenGrant(primitive.options.rate, primitive, caller, runtime);
}

/**
 * Checks only the scopes. Does not count the call.
 *
 * @returns undefined if the principal has them all
 */
export function missingScopes({ id, options: { scopes } }: Primitive, principal: Principal): Refusal | undefined {
  if (scopes === undefined || lacking(scopes, principal.scopes).length === 0) return undefined;
  // Name all scopes, not only the missing ones, so that one visit to the authorization server is enough.
  return { reason: "scope", name: id, scopes };
}

async function countThenGrant(
  perMinute: number,
  primitive: Primitive,
  caller: Caller,
  runtime: Runtime,
): Promise<Authorized> {
  const { id, rateKey = id } = primitive;
  try {
    const isWithin = await runtime.rateLimit(perMinute, `${partitionOf(caller.principal)} ${rateKey}`);
    if (isWithin) return grant(primitive, caller, runtime);
    return { refusal: { reason: "busy", name: id, perMinute, retryAfterMs: MINUTE_MS } };
  } catch (error) {
    runtime.log({ level: "error", message: "call not counted", tool: id, error: describeError(error) });
    return { refusal: { reason: "unavailable", retryAfterMs: MINUTE_MS } };
  }
}

function grant({ id, name = id, options }: Primitive, caller: Caller, runtime: Runtime): Authorized {
  if (options.requirements === undefined) return NOTHING_REQUIRED;
  const resolved = resolveRequirements(options.requirements, caller.context, runtime.secret);
  if ("granted" in resolved) return resolved;
  return { refusal: { reason: "requirements", name, missing: resolved.missing } };
}
