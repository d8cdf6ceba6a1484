/** Whether a principal may call what it sees: scopes, and how often. What it does not see is the catalogue's affair. */
import { lacking } from "../catalog/catalog.ts";
import { describeError } from "../lib/log.ts";
import type { Principal } from "../model/definition.ts";
import type { Refusal } from "../model/outcome.ts";
import { partitionOf } from "../model/principal.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";

/** The longest that a limit of calls a minute can last. */
export const MINUTE_MS = 60_000;

/** @returns why not; undefined for a call that may go on */
export function authorize(
  offer: Offer,
  principal: Principal,
  runtime: Runtime,
): Refusal | undefined | Promise<Refusal | undefined> {
  const refusal = missingScopes(offer, principal);
  if (refusal) return refusal;
  const { id, traits, rateKey = id } = offer;
  if (traits.rate === undefined) return undefined;
  const perMinute = traits.rate;
  return runtime.rateLimit(perMinute, `${partitionOf(principal)} ${rateKey}`).then(
    (isWithin) => (isWithin ? undefined : { reason: "busy", name: id, perMinute, retryAfterMs: MINUTE_MS }),
    (error) => {
      runtime.log({ level: "error", message: "call not counted", tool: id, error: describeError(error) });
      return { reason: "unavailable", retryAfterMs: MINUTE_MS };
    },
  );
}

/**
 * Checks scopes only, counts nothing.
 *
 * @returns undefined if the principal has them all
 */
export function missingScopes({ id, traits: { scopes } }: Offer, principal: Principal): Refusal | undefined {
  // All that it takes, and not just what is missing: one visit to the authorization server is enough.
  return lacking(scopes, principal.scopes).length > 0 ? { reason: "scope", name: id, scopes: scopes ?? [] } : undefined;
}
