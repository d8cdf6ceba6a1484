import { definePrompt } from "#tool";

export default definePrompt({
  description: "Greets.",
  arguments: { name: { description: "Whom.", required: true } },
  get: ({ name }) => `Hello ${name}`,
});
