import * as v from "valibot";
import { defineTool } from "#tool";
import { pause } from "./_pause.ts";

export default defineTool({
  name: "test_tool_with_progress",
  version: "1.0.0",
  description: "Says three times how far it has come.",
  output: v.string(),
  async run(_, ctx) {
    ctx.progress(0, 100, "Begun");
    await pause(50);
    ctx.progress(50, 100, "Half done");
    await pause(50);
    ctx.progress(100, 100, "Done");
    return "Progress was reported.";
  },
});
