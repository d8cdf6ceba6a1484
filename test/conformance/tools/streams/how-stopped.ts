import * as v from "valibot";
import { defineTool } from "#tool";
import { stopped } from "./_stopped.ts";

export default defineTool({
  name: "test_how_stopped",
  version: "1.0.0",
  description: "Says whether a call of the waiting tool runs, or how it was stopped.",
  annotations: { readOnly: true },
  input: v.object({ name: v.pipe(v.string(), v.description("The name that it was called with.")) }),
  output: v.string(),
  run: ({ name }) => stopped.get(name) ?? "unknown",
});
