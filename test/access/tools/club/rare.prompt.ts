import { definePrompt } from "#tool";

/** Called as a tool is, to see that they are counted each by itself. */
export default definePrompt({
  name: "Shop.Rare",
  description: "May be got ten times a minute.",
  rate: 10,
  arguments: { what: { description: "Anything.", complete: () => ["this", "that"] } },
  get: () => "Seldom.",
});
