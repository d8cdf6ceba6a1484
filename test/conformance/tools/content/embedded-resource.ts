import { defineTool, rich } from "#tool";

export default defineTool({
  name: "test_embedded_resource",
  version: "1.0.0",
  description: "Returns a resource within its result.",
  output: null,
  run: () =>
    rich(undefined, [
      {
        type: "resource",
        resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "A text that came along." },
      },
    ]),
});
