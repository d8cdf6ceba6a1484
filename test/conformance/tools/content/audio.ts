import { defineTool, rich } from "#tool";
import { WAV } from "./_media.ts";

export default defineTool({
  name: "test_audio_content",
  version: "1.0.0",
  description: "Returns a moment of silence.",
  output: null,
  run: () => rich(undefined, [{ type: "audio", data: WAV, mimeType: "audio/wav" }]),
});
