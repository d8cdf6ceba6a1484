import * as v from "valibot";
import { defineTool } from "#tool";

const TITLED = [
  { const: "value1", title: "The first" },
  { const: "value2", title: "The second" },
  { const: "value3", title: "The third" },
];

export default defineTool({
  name: "test_elicitation_sep1330_enums",
  version: "1.0.0",
  description: "Asks the user to choose in each of the five ways that a form has.",
  output: v.string(),
  async run(_, ctx) {
    const answer = await ctx.elicit("choices", {
      message: "Choose.",
      fields: {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: { type: "string", oneOf: TITLED },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["The first", "The second", "The third"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: { type: "array", items: { anyOf: TITLED } },
      },
    });
    return `The form came back: ${JSON.stringify(answer)}`;
  },
});
