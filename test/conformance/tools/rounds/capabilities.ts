import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_capabilities",
  version: "1.0.0",
  description: "Asks the user and the caller's model, or whichever of them can be asked.",
  output: v.string(),
  async run(_, ctx) {
    const asked = await Promise.all([
      ctx.canAsk("form") &&
        ctx.elicit("user_name", {
          message: "What is your name?",
          fields: { name: { type: "string", description: "Your name." } },
          required: ["name"],
        }),
      ctx.canAsk("sample") &&
        ctx.sample("greeting", {
          messages: [{ role: "user", content: { type: "text", text: "Write a greeting." } }],
          maxTokens: 50,
        }),
    ]);
    return `${asked.filter(Boolean).length} answers`;
  },
});
