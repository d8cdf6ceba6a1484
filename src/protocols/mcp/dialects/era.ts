/**
 * The eras that are served, and which of them a message belongs to. Decided once, at the door, from headers and body
 * alone; returns values and never throws. Method names decide nothing: clients send modern headers on legacy traffic,
 * and the reverse.
 */
import type { Claim, Era, Opening, Unclaimed } from "../transport/era.ts";
import { unclaimed } from "../transport/refuse.ts";
import { CODE } from "../wire/codes.ts";
import { legacy } from "./legacy/era.ts";
import { modernEra } from "./modern/era.ts";

/** Newest first, in the order in which they are asked. To take one out, delete its folder and its lines here. */
export const ERAS: readonly Era[] = [
  // 2026-07-28.
  modernEra(supportedRevisions),
  // 2024-11-05 to 2025-11-25, and clients that name no revision.
  legacy,
];

/** As `server/discover` and errors about versions list them. */
function supportedRevisions(): readonly string[] {
  return ERAS.flatMap(({ revisions }) => revisions);
}

export function eraOf(headers: Headers, opening: Opening): Claim | Unclaimed {
  const header = headers.get("mcp-protocol-version")?.trim();
  for (const era of ERAS) {
    const claim = era.claim(header, opening, headers);
    if (claim) return claim;
  }
  const data = { supported: supportedRevisions(), requested: header ?? "" };
  return unclaimed(CODE.unsupportedVersion, "Unsupported protocol version", data);
}

/** Who answers what {@link eraOf} found. */
export function eraNamed({ era }: Claim): Era {
  return ERAS.find(({ name }) => name === era) as Era;
}
