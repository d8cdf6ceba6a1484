import type { Manifest } from "../manifest.ts";
import { readTaskSettings } from "./settings.ts";

/** Tools whose calls outlive their requests (docs/tasks.md). */
export const manifest: Manifest = {
  name: "tasks",
  // wrangler refuses a workflow whose class is missing.
  usedBy: ({ settings, tools }) => settings.bound.has("LONG") || tools.some(({ options }) => options.long),
  bindings: { LONG: { workflow: "LongRun" } },
  classes: { Claims: { file: "claims-with-tasks.ts", as: "ClaimsWithTasks" }, LongRun: { file: "workflow.ts" } },
  readSettings: readTaskSettings,
};
