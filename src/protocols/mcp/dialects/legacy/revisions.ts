/** The revisions with a handshake. */

/** Newest first. */
export const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

export function isLegacyRevision(revision: unknown): revision is LegacyRevision {
  return (LEGACY_REVISIONS as readonly unknown[]).includes(revision);
}
