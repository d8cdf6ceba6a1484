import { defineTool } from "#tool";
import { input, output, recorder } from "../_effects.ts";

export default defineTool({
  version: "1.0.0",
  description: "Has one effect, which may be repeated.",
  long: true,
  annotations: { idempotent: true },
  input,
  output,
  async run(given, ctx) {
    const record = recorder(given);
    await scheduler.wait(given.ms / 2, { signal: ctx.signal });
    await record("effect");
    await scheduler.wait(given.ms / 2, { signal: ctx.signal });
    return `${given.name} ${crypto.randomUUID()}`;
  },
});
