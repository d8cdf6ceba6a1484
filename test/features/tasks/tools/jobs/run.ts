import * as v from "valibot";
import { defineTool } from "#tool";

const count = (what: string) => v.optional(v.pipe(v.number(), v.description(what)), 0);
const flag = (what: string) => v.optional(v.pipe(v.boolean(), v.description(what)), false);

export default defineTool({
  version: "1.0.0",
  description: "Does what is asked, for tests of what that costs.",
  long: true,
  input: v.object({
    steps: count("How many steps it takes."),
    once: flag("Whether its steps must not be done twice."),
    reports: count("How often it reports its progress."),
    asks: flag("Whether it asks a question."),
    waits: flag("Whether it waits until it is cancelled."),
    size: count("How many characters its result has besides."),
  }),
  output: v.string(),
  async run({ steps, once, reports, asks, waits, size }, ctx) {
    for (let step = 0; step < steps; step++) await ctx.step(`step ${step}`, () => step, { once });
    for (let report = 0; report < reports; report++) {
      ctx.progress(report, reports, "Working");
      // Longer than reports are collected.
      await scheduler.wait(1_500);
    }
    if (asks) {
      const fields = { name: { type: "string", description: "A name." } } as const;
      await ctx.elicit("name", { message: "Who is it?", fields });
    }
    if (waits) await new Promise((stopped) => ctx.signal.addEventListener("abort", stopped));
    return "done".padEnd(size, ".");
  },
});
