/**
 * The supported eras, and the choice of the era that a message belongs to. It is made once, when the message arrives,
 * from its headers and body alone. Method names do not decide, because clients send modern headers with legacy messages
 * and the reverse. Nothing here throws.
 */
import { LEGACY, legacyEra } from "./legacy/era.ts";
import type { Extended } from "./methods/extension.ts";
import { MODERN, modernEra } from "./modern/era.ts";
import type { Era, EraMatch, NoEra, Opening } from "./transport/era.ts";
import { noEra } from "./transport/error-response.ts";
import { CODE } from "./wire/codes.ts";

/** All supported revisions, newest first: for `server/discover`, the server card, and errors about versions. */
export const REVISIONS: readonly string[] = [...MODERN, ...LEGACY];

/** The eras, newest first: they are tried in this order. To remove an era, delete its folder and its lines here. */
export function erasOf(mcp: Extended): readonly Era[] {
  return [modernEra(mcp, REVISIONS), legacyEra(mcp)];
}

export function eraOf(eras: readonly Era[], headers: Headers, opening: Opening): EraMatch | NoEra {
  const header = headers.get("mcp-protocol-version")?.trim();
  for (const era of eras) {
    const match = era.match(header, opening, headers);
    if (match) return match;
  }
  const data = { supported: REVISIONS, requested: header ?? "" };
  return noEra(CODE.unsupportedVersion, "Unsupported protocol version", data);
}

/** The era of a match that {@link eraOf} returned. */
export function eraNamed(eras: readonly Era[], { era }: EraMatch): Era {
  return eras.find(({ name }) => name === era) as Era;
}
