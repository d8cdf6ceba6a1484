import * as v from "valibot";
import { defineTool } from "#tool";
import { countOf } from "./_runs.ts";

export default defineTool({
  version: "1.0.0",
  description: "Says how often the tools of this toolkit ran, and had their effect.",
  input: v.object({ name: v.pipe(v.string(), v.description("What was counted under.")) }),
  output: v.object({ runs: v.number(), effects: v.number() }),
  run: ({ name }) => ({ runs: countOf(`runs of ${name}`), effects: countOf(`effects of ${name}`) }),
});
