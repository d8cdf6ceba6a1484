/** A tool that does something and returns nothing, with an error from which a model learns what to do. */
import * as v from "valibot";
import { defineTool, ToolError } from "#tool";

/** Put your own doorbells here, and the code that rings them into `run`. */
const DOORBELLS: ReadonlySet<string> = new Set(["doorbell42", "doorbell84"]);

export default defineTool({
  version: "0.1.0",
  description: "Rings a doorbell given a doorbell ID.",
  annotations: { readOnly: false, destructive: false },
  input: v.object({
    doorbell_id: v.pipe(v.string(), v.description("The ID of the doorbell to ring.")),
  }),
  output: null,
  run({ doorbell_id }, ctx) {
    if (!DOORBELLS.has(doorbell_id)) {
      throw new ToolError("Doorbell ID not found", {
        developerMessage: `The doorbell with ID '${doorbell_id}' does not exist.`,
        // With the list of doorbells, a model can correct its call.
        canRetry: true,
        additionalPromptContent: `ids: ${[...DOORBELLS].join(",")}`,
        retryAfterMs: 500,
      });
    }
    ctx.log("info", { rang: doorbell_id });
  },
});
