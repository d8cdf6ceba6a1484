import * as v from "valibot";
import { defineTool } from "#tool";
import told from "./told.event.ts";

/** Called without effects, so that a repeated call runs again at once: its event must be the same nevertheless. */
export default defineTool({
  version: "1.0.0",
  description: "Tells something.",
  annotations: { readOnly: true },
  input: v.object({
    n: v.pipe(v.number(), v.description("Number of the event.")),
    list: v.pipe(v.string(), v.description("The list.")),
    id: v.optional(v.pipe(v.string(), v.description("Id of the event."))),
  }),
  output: v.number(),
  async run({ n, list, id }, ctx) {
    await ctx.emit(told, { n, list }, { id });
    return n;
  },
});
