import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Rings a door's bell.",
  input: v.object({ door: v.pipe(v.string(), v.description("Which one.")) }),
  output: v.pipe(v.string(), v.description("What was heard.")),
  run: ({ door }) => `${door}: ding dong`,
});
