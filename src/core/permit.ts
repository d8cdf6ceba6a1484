/** Whether a principal may call what it sees: scopes, and how often. What it does not see is the catalogue's affair. */
import { lacking } from "./catalog.ts";
import type { Principal } from "./definition.ts";
import type { Host, Offer } from "./host.ts";
import { describeError } from "./log.ts";
import type { Refusal } from "./outcome.ts";
import { ownerOf } from "./principal.ts";

/** The longest that a limit of calls a minute can last. */
export const MINUTE_MS = 60_000;

/** @returns why not; undefined for a call that may go on */
export function permit(
  offer: Offer,
  principal: Principal,
  host: Host,
): Refusal | undefined | Promise<Refusal | undefined> {
  const refusal = lackingScopes(offer, principal);
  if (refusal) return refusal;
  const { id, traits, rateKey = id } = offer;
  if (traits.rate === undefined) return undefined;
  const perMinute = traits.rate;
  return host.within(perMinute, `${ownerOf(principal)} ${rateKey}`).then(
    (isWithin) => (isWithin ? undefined : { reason: "busy", name: id, perMinute, retryAfterMs: MINUTE_MS }),
    (error) => {
      host.log({ level: "error", message: "call not counted", tool: id, error: describeError(error) });
      return { reason: "unavailable", retryAfterMs: MINUTE_MS };
    },
  );
}

/**
 * Checks scopes only, counts nothing.
 *
 * @returns undefined if the principal has them all
 */
export function lackingScopes({ id, traits: { scopes } }: Offer, principal: Principal): Refusal | undefined {
  // All that it takes, and not just what is missing: one visit to the authorization server is enough.
  return lacking(scopes, principal.scopes).length > 0 ? { reason: "scope", name: id, scopes: scopes ?? [] } : undefined;
}
