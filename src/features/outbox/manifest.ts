import type { Manifest } from "../manifest.ts";
import { readOutboxSettings } from "./settings.ts";

/** Events, and messages to receivers (docs/events.md, docs/webhooks.md). */
export const manifest: Manifest = {
  name: "outbox",
  usedBy: ({ settings, events }) => settings.bound.has("OUTBOX") || events.length > 0,
  bindings: { OUTBOX: { object: "Outbox" } },
  classes: { Outbox: { file: "object/outbox-object.ts" } },
  event: {
    file: "events/task-finished.ts",
    name: "taskFinished",
    usedBy: ({ tools }) => tools.some(({ options }) => options.long),
  },
  readSettings: readOutboxSettings,
};
