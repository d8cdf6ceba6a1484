import { definePrompt } from "#tool";

export default definePrompt({
  description: "May be got as often as a limiter says that nobody set up.",
  rate: 7,
  arguments: { what: { description: "Anything.", complete: () => ["this", "that"] } },
  get: () => "Never.",
});
