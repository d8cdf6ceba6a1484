/** The revisions of MCP that are served, and what changed between them for a call. */

/** Newest first. */
export const LEGACY_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

export const MODERN_REVISION = "2026-07-28";

export type Revision = LegacyRevision | typeof MODERN_REVISION;

/** As `server/discover` and errors about versions list them. */
export const SUPPORTED_REVISIONS: readonly Revision[] = [MODERN_REVISION, ...LEGACY_REVISIONS];

export function isLegacyRevision(revision: unknown): revision is LegacyRevision {
  return (LEGACY_REVISIONS as readonly unknown[]).includes(revision);
}

/** How a client speaks: by a revision that it negotiated or names, or bare, with no handshake and no version at all. */
export type Dialect =
  | { readonly kind: "bare" }
  | { readonly kind: "legacy"; readonly revision: LegacyRevision }
  | { readonly kind: "modern"; readonly revision: typeof MODERN_REVISION };

/** Arguments that do not fit are a result since 2025-11-25 (changelog, SEP-1303), an error before. */
export function invalidIsResult(dialect: Dialect): boolean {
  return dialect.kind !== "bare" && dialect.revision >= "2025-11-25";
}
