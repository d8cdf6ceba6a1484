import { definePrompt } from "#tool";

export default definePrompt({
  name: "test_simple_prompt",
  description: "A prompt without arguments.",
  get: () => "This is a simple prompt for testing.",
});
