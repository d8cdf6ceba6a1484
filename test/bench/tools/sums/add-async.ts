import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Adds two numbers as most tools are written, async.",
  input: v.object({
    a: v.pipe(v.number(), v.description("First number")),
    b: v.pipe(v.number(), v.description("Second number")),
  }),
  output: v.number(),
  run: async ({ a, b }) => a + b,
});
