import { defineTool, ToolError } from "#tool";
import { input, output, recorder } from "../_effects.ts";

export default defineTool({
  version: "1.0.0",
  description: "Has one effect, and fails.",
  long: true,
  input,
  output,
  async run(given, ctx) {
    const record = recorder(given);
    await scheduler.wait(given.ms, { signal: ctx.signal });
    await record("effect");
    throw new ToolError(`${given.name} refused`);
  },
});
