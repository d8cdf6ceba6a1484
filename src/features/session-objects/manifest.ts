import type { Manifest } from "../manifest.ts";

/** Sessions in Durable Objects rather than KV (docs/storage.md). */
export const manifest: Manifest = {
  name: "session-objects",
  usedBy: ({ settings }) => settings.bound.has("SESSIONS"),
  bindings: { SESSIONS: { object: "Sessions" } },
  classes: { Sessions: { file: "sessions.ts" } },
};
