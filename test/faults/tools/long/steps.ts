import { defineTool } from "#tool";
import { input, output, recorder } from "../_effects.ts";

/** May not be repeated, but its steps are checkpoints. Records what each step returned, to show that it is kept. */
export default defineTool({
  version: "1.0.0",
  description: "Has effects in steps.",
  long: true,
  input,
  output,
  async run(given, ctx) {
    const record = recorder(given);
    const values: string[] = [];
    // Two steps of the same name are two steps.
    for (const [place, name] of ["first", "once", "once", "last"].entries()) {
      const work = async () => {
        await record(`in ${place} ${name}`);
        await scheduler.wait(given.ms / 4, { signal: ctx.signal });
        return crypto.randomUUID();
      };
      const value = await ctx.step(name, work, { once: name === "once" });
      await record(`after ${place} ${name}`, value);
      values.push(value);
    }
    return `${given.name} ${values.join(" ")}`;
  },
});
