import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Keeps a note in the session.",
  input: v.object({ text: v.pipe(v.string(), v.description("The note.")) }),
  output: v.pipe(v.string(), v.description("The note.")),
  async run({ text }, ctx) {
    await ctx.session?.set("note", text);
    return text;
  },
});
