import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_header_parameter",
  version: "1.0.0",
  description: "Has a parameter that callers repeat in a request header.",
  input: v.object({
    region: v.pipe(v.string(), v.description("Which region to ask."), v.metadata({ "x-mcp-header": "Region" })),
    limit: v.pipe(v.optional(v.pipe(v.number(), v.integer()), 10), v.description("How much to return at most.")),
  }),
  output: v.string(),
  run: ({ region, limit }) => `${limit} of ${region}`,
});
