import { defineTool } from "#tool";
import { input, output, recorder } from "../_effects.ts";

export default defineTool({
  version: "1.0.0",
  description: "Asks, and then has one effect.",
  long: true,
  input,
  output,
  async run(given, ctx) {
    const record = recorder(given);
    const answer = await ctx.elicit("colour", {
      message: `Which colour has ${given.name}?`,
      fields: { colour: { type: "string", description: "The colour." } },
      required: ["colour"],
    });
    const colour = answer.action === "accept" ? answer.content.colour : "none";
    await record("effect", colour);
    await scheduler.wait(given.ms, { signal: ctx.signal });
    return `${given.name} ${colour} ${crypto.randomUUID()}`;
  },
});
