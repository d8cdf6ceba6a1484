import * as v from "valibot";
import { defineTool, ToolError } from "#tool";

export default defineTool({
  version: "1.2.3",
  description: "Ends as it is told.",
  timeoutMs: 200,
  input: v.object({
    how: v.pipe(v.picklist(["well", "failed", "broken", "late", "asking"]), v.description("How to end.")),
  }),
  async run({ how }, ctx) {
    if (how === "failed") throw new ToolError("No", { canRetry: true });
    if (how === "broken") throw new Error("broken");
    if (how === "late") await new Promise((resume) => setTimeout(resume, 1_000));
    if (how === "asking") return ctx.elicit("size", { message: "Which?", fields: { size: { type: "string" } } });
    return { how };
  },
});
