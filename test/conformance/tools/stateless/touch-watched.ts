import { defineTool } from "#tool";

export default defineTool({
  name: "test_touch_watched_resource",
  version: "1.0.0",
  description: "Tells everyone who watches the watched resource that it has changed.",
  output: null,
  run: (_, ctx) => ctx.changed({ of: "resource", uri: "test://watched-resource" }),
});
