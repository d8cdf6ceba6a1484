/**
 * The supported eras, and which of them a message belongs to. That is decided once, when the message arrives, from its
 * headers and body alone. Method names are not considered: clients send modern headers with legacy messages, and the
 * reverse. Nothing here throws.
 */
import { modernEra } from "#parts";
import { legacy } from "./legacy/era.ts";
import type { Era, EraMatch, NoEra, Opening } from "./transport/era.ts";
import { noEra } from "./transport/error-response.ts";
import { CODE } from "./wire/codes.ts";

/** Newest first, in the order in which they are tried. To remove an era, delete its folder and its lines here. */
export const ERAS: readonly Era[] = [
  // 2026-07-28.
  modernEra(supportedRevisions),
  // 2024-11-05 to 2025-11-25, and clients that name no revision.
  legacy,
];

/** All supported revisions, newest first: for `server/discover`, the server card, and errors about versions. */
export function supportedRevisions(): readonly string[] {
  return ERAS.flatMap(({ revisions }) => revisions);
}

/** Finds the era of a message. */
export function eraOf(headers: Headers, opening: Opening): EraMatch | NoEra {
  const header = headers.get("mcp-protocol-version")?.trim();
  for (const era of ERAS) {
    const match = era.match(header, opening, headers);
    if (match) return match;
  }
  const data = { supported: supportedRevisions(), requested: header ?? "" };
  return noEra(CODE.unsupportedVersion, "Unsupported protocol version", data);
}

/** The era of a match that {@link eraOf} returned. */
export function eraNamed({ era }: EraMatch): Era {
  return ERAS.find(({ name }) => name === era) as Era;
}
