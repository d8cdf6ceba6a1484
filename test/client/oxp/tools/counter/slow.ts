import * as v from "valibot";
import { defineTool } from "#tool";
import { count } from "./_runs.ts";

export default defineTool({
  version: "1.0.0",
  description: "Has its effect after a while, whether or not anybody waits.",
  input: v.object({
    name: v.pipe(v.string(), v.description("What to count under.")),
    ms: v.pipe(v.number(), v.description("How long it takes.")),
  }),
  output: v.number(),
  async run({ name, ms }) {
    count(`runs of ${name}`);
    await new Promise((resume) => setTimeout(resume, ms));
    return count(`effects of ${name}`);
  },
});
