import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Works for a while.",
  long: true,
  input: v.object({ ms: v.pipe(v.number(), v.description("How long.")) }),
  output: v.string(),
  async run({ ms }, ctx) {
    await scheduler.wait(ms, { signal: ctx.signal });
    return "done";
  },
});
