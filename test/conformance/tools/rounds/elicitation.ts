import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_elicitation",
  version: "1.0.0",
  description: "Asks for a name and greets.",
  output: v.string(),
  async run(_, ctx) {
    const answer = await ctx.elicit("user_name", {
      message: "What is your name?",
      fields: { name: { type: "string", description: "Your name." } },
      required: ["name"],
    });
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello, whoever you are!";
  },
});
