import type { Manifest } from "../manifest.ts";

/** The Worker as its own OAuth server (docs/access.md). */
export const manifest: Manifest = {
  name: "sign-in",
  usedBy: ({ settings }) => settings.hasSignIn,
};
