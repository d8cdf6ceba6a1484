import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_missing_capability",
  version: "1.0.0",
  description: "Needs the caller's model, whether the caller has one to offer or not.",
  output: v.string(),
  async run(_, ctx) {
    const { model } = await ctx.sample("greeting", {
      messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
      maxTokens: 100,
    });
    return `The model is ${model}.`;
  },
});
