import * as v from "valibot";
import { defineTool } from "#tool";

/** Its results are on KV alone, where a test can let them expire. */
export default defineTool({
  version: "1.0.0",
  description: "Says something that it says in no other run.",
  annotations: { readOnly: true },
  output: v.string(),
  run: () => crypto.randomUUID(),
});
