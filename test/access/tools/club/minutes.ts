import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Says that it begins, takes its time, and tells what was decided.",
  scopes: ["club:read", "club:write"],
  timeoutMs: 120_000,
  input: v.object({ ms: v.pipe(v.number(), v.description("How long it takes.")) }),
  output: v.string(),
  async run({ ms }, ctx) {
    ctx.progress(1);
    await new Promise((resume) => setTimeout(resume, ms));
    return "It was decided.";
  },
});
