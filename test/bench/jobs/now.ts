import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "A long tool that is done at once.",
  long: true,
  output: v.string(),
  run: () => "done",
});
