/** The older of two versions, kept for callers that ask for 1.0.0. */
import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Retrieves the current system timestamp.",
  annotations: { readOnly: true, openWorld: false },
  output: v.object({
    timestamp: v.pipe(v.string(), v.metadata({ format: "date-time", description: "The current system timestamp." })),
  }),
  run: () => ({ timestamp: new Date().toISOString() }),
});
