import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_tampered_state",
  version: "1.0.0",
  description: "Asks for a confirmation, with state that nobody may change on its way.",
  listing: { allow: ["long-name"] },
  output: v.string(),
  async run(_, ctx) {
    await ctx.elicit("confirm", {
      message: "Is that all right?",
      fields: { ok: { type: "boolean", description: "Whether it is." } },
      required: ["ok"],
    });
    return "The state came back as it was.";
  },
});
