import { definePrompt } from "#tool";

export default definePrompt({
  name: "test_prompt_with_embedded_resource",
  description: "A prompt that brings a resource along.",
  arguments: { resourceUri: { description: "The resource's URI.", required: true } },
  get: ({ resourceUri }) => [
    { type: "resource", resource: { uri: resourceUri, mimeType: "text/plain", text: "A text that came along." } },
    { type: "text", text: "Read the resource above." },
  ],
});
