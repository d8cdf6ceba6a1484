import * as v from "valibot";
import { defineTool } from "#tool";
import { ran } from "./_ran.ts";

export default defineTool({
  version: "1.0.0",
  description: "Keeps a word in the session, and returns what was there before.",
  env: ["COUNTER"],
  input: v.object({ word: v.pipe(v.string(), v.description("What to keep.")) }),
  async run({ word }, ctx) {
    await ran("vault.remember", ctx);
    const before = await ctx.session?.get<string>("word");
    await ctx.session?.set("word", word);
    return { before: before ?? null };
  },
});
