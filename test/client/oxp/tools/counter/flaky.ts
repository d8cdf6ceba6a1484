import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { count } from "./_runs.ts";

export default defineTool({
  version: "1.0.0",
  description: "Fails a few times, and then has its effect.",
  input: v.object({
    name: v.pipe(v.string(), v.description("What to count under.")),
    failures: v.pipe(v.number(), v.description("How often to fail.")),
    retryAfterMs: v.pipe(v.optional(v.number()), v.description("What to ask callers to wait.")),
    canRetry: v.pipe(v.optional(v.boolean(), true), v.description("Whether callers may try again.")),
  }),
  output: v.number(),
  run({ name, failures, retryAfterMs, canRetry }) {
    const runs = count(`runs of ${name}`);
    if (runs <= failures) {
      throw new ToolError(`Failed in run ${runs}`, {
        canRetry,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        developerMessage: "on purpose",
        additionalPromptContent: "try: something else",
      });
    }
    return count(`effects of ${name}`);
  },
});
