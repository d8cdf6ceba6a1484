import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Says how far it is, three times.",
  annotations: { readOnly: true },
  input: v.object({}),
  output: v.pipe(v.string(), v.description("That it is done.")),
  run(_, ctx) {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return "done";
  },
});
