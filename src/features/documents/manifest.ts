import type { Manifest } from "../manifest.ts";

/** Documents by which machines find and understand the server (docs/protocols.md). */
export const manifest: Manifest = {
  name: "documents",
  usedBy: ({ settings }) => settings.documents,
};
