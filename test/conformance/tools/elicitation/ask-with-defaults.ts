import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_elicitation_sep1034_defaults",
  version: "1.0.0",
  description: "Shows the user a form in which every field is filled in already.",
  output: v.string(),
  async run(_, ctx) {
    const answer = await ctx.elicit("profile", {
      message: "Change what is not right.",
      fields: {
        name: { type: "string", description: "The name.", default: "John Doe" },
        age: { type: "integer", description: "The age in years.", default: 30 },
        score: { type: "number", description: "The score.", default: 95.5 },
        status: {
          type: "string",
          description: "The account's state.",
          enum: ["active", "inactive", "pending"],
          default: "active",
        },
        verified: { type: "boolean", description: "Whether the address is verified.", default: true },
      },
    });
    return `The form came back: ${JSON.stringify(answer)}`;
  },
});
