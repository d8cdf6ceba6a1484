import type { Manifest } from "../manifest.ts";

/** A span for each call (docs/operating.md). */
export const manifest: Manifest = {
  name: "tracing",
  usedBy: ({ settings }) => settings.traces,
};
