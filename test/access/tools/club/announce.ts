import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Tells who listens that a resource has changed.",
  input: v.object({ uri: v.pipe(v.string(), v.description("Which one.")) }),
  output: null,
  run: ({ uri }, ctx) => ctx.changed({ of: "resource", uri }),
});
