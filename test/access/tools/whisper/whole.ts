import { defineTool } from "#tool";

export default defineTool({
  version: "2.0.0",
  description: "Tells a part of the story, to anyone.",
  run: () => "a part",
});
