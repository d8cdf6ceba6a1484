import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_streaming_elicitation",
  version: "1.0.0",
  description: "Reports progress, then asks the user to confirm.",
  output: v.string(),
  async run(_, ctx) {
    ctx.progress(1, 2, "About to ask");
    const { action } = await ctx.elicit("confirmation", {
      message: "Go on?",
      fields: { sure: { type: "boolean", description: "Whether to go on." } },
      required: ["sure"],
    });
    return `The user said: ${action}`;
  },
});
