import * as v from "valibot";
import { defineTool } from "#tool";
import { pause } from "./_pause.ts";

export default defineTool({
  name: "test_tool_with_logging",
  version: "1.0.0",
  description: "Logs three messages while it runs.",
  output: v.string(),
  async run(_, ctx) {
    ctx.log("info", "Begun");
    await pause(50);
    ctx.log("info", "Half done");
    await pause(50);
    ctx.log("info", "Done");
    return "Three messages were logged.";
  },
});
