import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_elicitation",
  version: "1.0.0",
  description: "Asks the user for a name and an address.",
  input: v.object({ message: v.pipe(v.string(), v.description("What to show to the user.")) }),
  output: v.string(),
  async run({ message }, ctx) {
    const answer = await ctx.elicit("user", {
      message,
      fields: {
        username: { type: "string", description: "What the user is called." },
        email: { type: "string", description: "The user's e-mail address." },
      },
      required: ["username", "email"],
    });
    if (answer.action !== "accept") return `The user said: ${answer.action}`;
    return `The user is ${answer.content.username}, ${answer.content.email}.`;
  },
});
