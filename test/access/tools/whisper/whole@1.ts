import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Tells the whole story, to whoever may hear that.",
  scopes: ["vault:open"],
  run: () => "the whole story",
});
