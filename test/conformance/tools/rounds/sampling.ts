import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_sampling",
  version: "1.0.0",
  description: "Asks the caller's model for a capital.",
  output: v.string(),
  async run(_, ctx) {
    const { content } = await ctx.sample("capital_question", {
      messages: [{ role: "user", content: { type: "text", text: "What is the capital of France?" } }],
      maxTokens: 100,
    });
    return `The model said: ${JSON.stringify(content)}`;
  },
});
