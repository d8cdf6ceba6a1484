import { defineTool } from "#tool";

export default defineTool({
  name: "test_trigger_resource_change",
  version: "1.0.0",
  description: "Tells everyone who listens that the list of resources has changed.",
  output: null,
  run: (_, ctx) => ctx.changed({ of: "resources" }),
});
