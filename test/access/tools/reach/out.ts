import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Fetches an address, and says what came of it.",
  input: v.object({
    url: v.pipe(v.string(), v.description("Where to.")),
    headers: v.pipe(v.optional(v.record(v.string(), v.string())), v.description("Headers of its own.")),
  }),
  async run({ url, headers }, ctx) {
    try {
      const response = await ctx.fetch(url, { headers: headers ?? {} });
      return { status: response.status, body: await response.text() };
    } catch (error) {
      return { refused: (error as Error).name };
    }
  },
});
