import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_tool_with_task",
  version: "1.0.0",
  description: "Asks for a name, and then works as a task.",
  long: "tasks-only",
  output: v.string(),
  async prepare(_, ctx) {
    const answer = await ctx.elicit("user_name", {
      message: "What is your name?",
      fields: { name: { type: "string", description: "Your name." } },
      required: ["name"],
    });
    return answer.action === "accept" ? answer.content.name : "nobody";
  },
  run: (_, ctx) => `The work for ${ctx.prepared} is done`,
});
