import { definePrompt } from "#tool";
import { PNG } from "../content/_media.ts";

export default definePrompt({
  name: "test_prompt_with_image",
  description: "A prompt that brings a picture along.",
  get: () => [
    { type: "image", data: PNG, mimeType: "image/png" },
    { type: "text", text: "Describe the picture above." },
  ],
});
