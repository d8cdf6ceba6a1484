import { definePrompt } from "#tool";
import { ran } from "./_ran.ts";

export default definePrompt({
  description: "A note about a box.",
  arguments: { box: { description: "Which box.", complete: () => ["red", "green"] } },
  env: ["COUNTER"],
  async get({ box }, ctx) {
    await ran("vault.note", ctx);
    return `The box is ${box ?? "closed"}.`;
  },
});
