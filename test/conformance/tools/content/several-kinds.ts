import { defineTool, rich } from "#tool";
import { PNG } from "./_media.ts";

export default defineTool({
  name: "test_multiple_content_types",
  version: "1.0.0",
  description: "Returns a text, a picture and a resource at once.",
  output: null,
  run: () =>
    rich(undefined, [
      { type: "text", text: "A picture and a resource follow." },
      { type: "image", data: PNG, mimeType: "image/png" },
      {
        type: "resource",
        resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"mixed":true}' },
      },
    ]),
});
