import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_multi_round",
  version: "1.0.0",
  description: "Asks for a name, and then for a colour.",
  output: v.string(),
  async run(_, ctx) {
    const first = await ctx.elicit("step1", {
      message: "Step 1: what is your name?",
      fields: { name: { type: "string", description: "Your name." } },
      required: ["name"],
    });
    const second = await ctx.elicit("step2", {
      message: "Step 2: which colour do you like best?",
      fields: { color: { type: "string", description: "A colour." } },
      required: ["color"],
    });
    const name = first.action === "accept" ? first.content.name : "Somebody";
    const color = second.action === "accept" ? second.content.color : "no colour";
    return `${name} likes ${color} best.`;
  },
});
