import type { Manifest } from "../manifest.ts";

/** The check of tokens that others sign (docs/access.md). */
export const manifest: Manifest = {
  name: "tokens",
  usedBy: ({ settings }) => settings.takesTokens,
};
