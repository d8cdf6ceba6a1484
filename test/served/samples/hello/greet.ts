import * as v from "valibot";
import { defineTool, ToolError } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Greets someone by name.",
  input: v.object({
    name: v.pipe(v.string(), v.description("Whom to greet.")),
  }),
  output: v.string(),
  run({ name }) {
    if (name.trim() === "") throw new ToolError("Nobody to greet", { additionalPromptContent: "ask for a name" });
    return `Hello, ${name}!`;
  },
});
