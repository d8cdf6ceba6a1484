import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "slow_compute",
  version: "1.0.0",
  description: "Computes for some seconds.",
  long: true,
  input: v.object({
    seconds: v.pipe(v.number(), v.description("How long it takes.")),
    label: v.optional(v.pipe(v.string(), v.description("Repeated in the result."))),
  }),
  output: v.string(),
  async run({ seconds, label }, ctx) {
    await scheduler.wait(seconds * 1_000, { signal: ctx.signal });
    return `${label ?? "It"} took ${seconds} seconds`;
  },
});
