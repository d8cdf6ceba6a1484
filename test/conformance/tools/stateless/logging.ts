import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_logging_tool",
  version: "1.0.0",
  description: "Logs at every level, whether anyone listens or not.",
  output: v.string(),
  run(_, ctx) {
    for (const level of ["debug", "info", "warning", "error"] as const) ctx.log(level, `A message of level ${level}`);
    return "Four messages were logged.";
  },
});
