import * as v from "valibot";
import { defineTool, ToolError } from "#tool";

const said = <Schema extends v.GenericSchema>(schema: Schema, what: string) =>
  v.optional(v.pipe(schema, v.description(what)));

export default defineTool({
  version: "1.0.0",
  description: "Does what it is asked to.",
  input: v.object({
    fails: said(v.boolean(), "Whether it fails."),
    again: said(v.boolean(), "Whether it may then be called again."),
    size: said(v.number(), "Characters of its result."),
  }),
  output: v.string(),
  run({ fails, again, size = 4 }) {
    if (fails) throw new ToolError("It has failed", { canRetry: again === true });
    return "x".repeat(size);
  },
});
