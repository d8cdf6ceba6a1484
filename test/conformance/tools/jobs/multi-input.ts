import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "multi_input",
  version: "1.0.0",
  description: "Asks two questions at once.",
  long: true,
  output: v.string(),
  async run(_, ctx) {
    const [name, confirm] = await Promise.all([
      ctx.elicit("name", {
        message: "What is your name?",
        fields: { name: { type: "string", description: "Your name." } },
        required: ["name"],
      }),
      ctx.elicit("confirm", {
        message: "Are you sure?",
        fields: { confirm: { type: "boolean", description: "Whether you are." } },
        required: ["confirm"],
      }),
    ]);
    return `${name.action}, ${confirm.action}`;
  },
});
