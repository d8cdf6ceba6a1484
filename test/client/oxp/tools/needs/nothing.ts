import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Needs nothing, and returns nothing.",
  output: null,
  run: () => undefined,
});
