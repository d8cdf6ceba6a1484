import type { Manifest } from "../manifest.ts";

/** The page for people at `/` (docs/connect.md). */
export const manifest: Manifest = {
  name: "page",
  usedBy: ({ settings }) => settings.bound.has("ASSETS"),
  bindings: { ASSETS: "page" },
};
