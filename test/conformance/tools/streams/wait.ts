import * as v from "valibot";
import { defineTool } from "#tool";
import { stopped } from "./_stopped.ts";

export default defineTool({
  name: "test_wait",
  version: "1.0.0",
  description: "Waits until it is stopped, and remembers why.",
  timeoutMs: 20_000,
  input: v.object({
    name: v.pipe(v.string(), v.description("Under which name to remember how it was stopped.")),
    silent: v.pipe(v.optional(v.boolean(), false), v.description("Whether to say nothing before.")),
  }),
  output: null,
  run: ({ name, silent }, ctx) =>
    new Promise<void>((_, stop) => {
      stopped.set(name, "running");
      if (!silent) ctx.progress(0, 1, "Waiting");
      ctx.signal.addEventListener("abort", () => {
        const { name: reason } = ctx.signal.reason as Error;
        stopped.set(name, reason);
        stop(ctx.signal.reason);
      });
    }),
});
