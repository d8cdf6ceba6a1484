import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Prepares itself in the request.",
  long: true,
  output: v.number(),
  prepare: () => 42,
  run: (_, ctx) => ctx.prepared,
});
