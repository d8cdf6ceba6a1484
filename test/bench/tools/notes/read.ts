import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Reads the session's note.",
  annotations: { readOnly: true },
  input: v.object({}),
  output: v.pipe(v.string(), v.description("The note.")),
  run: async (_, ctx) => (await ctx.session?.get<string>("note")) ?? "none",
});
