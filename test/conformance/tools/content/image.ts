import { defineTool, rich } from "#tool";
import { PNG } from "./_media.ts";

export default defineTool({
  name: "test_image_content",
  version: "1.0.0",
  description: "Returns a picture of one pixel.",
  output: null,
  run: () => rich(undefined, [{ type: "image", data: PNG, mimeType: "image/png" }]),
});
