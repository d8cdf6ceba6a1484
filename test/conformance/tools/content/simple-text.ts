import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_simple_text",
  version: "1.0.0",
  description: "Returns a text.",
  output: v.string(),
  run: () => "This is a simple text response for testing.",
});
