import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_sampling",
  version: "1.0.0",
  description: "Asks the caller's model and returns what it says.",
  input: v.object({ prompt: v.pipe(v.string(), v.description("What to ask the model.")) }),
  output: v.string(),
  async run({ prompt }, ctx) {
    const messages = [{ role: "user", content: { type: "text", text: prompt } }] as const;
    const { content } = await ctx.sample("answer", { messages, maxTokens: 100 });
    return `The model said: ${JSON.stringify(content)}`;
  },
});
