import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "A long tool that waits.",
  long: true,
  input: v.object({ seconds: v.pipe(v.number(), v.description("For how long.")) }),
  output: v.string(),
  async run({ seconds }, ctx) {
    await scheduler.wait(seconds * 1_000, { signal: ctx.signal });
    return "done";
  },
});
