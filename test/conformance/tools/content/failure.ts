import { defineTool, ToolError } from "#tool";

export default defineTool({
  name: "test_error_handling",
  version: "1.0.0",
  description: "Fails, always.",
  output: null,
  run() {
    throw new ToolError("This tool fails on purpose.");
  },
});
