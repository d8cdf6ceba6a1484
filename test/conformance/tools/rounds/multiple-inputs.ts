import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_multiple_inputs",
  version: "1.0.0",
  description: "Asks the user, the caller's model and the caller at once.",
  listing: { allow: ["long-name"] },
  output: v.string(),
  async run(_, ctx) {
    const [user, model, roots] = await Promise.all([
      ctx.elicit("user_name", {
        message: "What is your name?",
        fields: { name: { type: "string", description: "Your name." } },
        required: ["name"],
      }),
      ctx.sample("greeting", {
        messages: [{ role: "user", content: { type: "text", text: "Write a greeting." } }],
        maxTokens: 50,
      }),
      ctx.roots("client_roots"),
    ]);
    const name = user.action === "accept" ? user.content.name : user.action;
    return `${name}, ${model.model}, ${roots.length} folders`;
  },
});
