import { definePrompt } from "#tool";
import { ran } from "../vault/_ran.ts";

export default definePrompt({
  description: "A letter to a member.",
  scopes: ["club:read", "club:write"],
  env: ["COUNTER"],
  arguments: {
    to: {
      description: "Which member.",
      async complete(_prefix, _others, ctx) {
        await ran("club.letter.completed", ctx);
        return ["Ann", "Bo"];
      },
    },
  },
  async get({ to = "all" }, ctx) {
    await ran("club.letter", ctx);
    return `Write to ${to}.`;
  },
});
