import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "greet",
  version: "1.0.0",
  description: "Greets someone, at once.",
  input: v.object({ name: v.pipe(v.string(), v.description("Who is greeted.")) }),
  output: v.string(),
  run: ({ name }) => `Hello, ${name}!`,
});
