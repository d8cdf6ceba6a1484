/** A first tool: a schema for the input, one for the output, and a function. */
import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Adds two numbers together.",
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  input: v.object({
    a: v.pipe(v.number(), v.description("The first number to add.")),
    b: v.pipe(v.number(), v.description("The second number to add.")),
  }),
  output: v.pipe(v.number(), v.description("The sum of the two numbers.")),
  run: ({ a, b }) => a + b,
});
