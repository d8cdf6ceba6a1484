import { definePrompt } from "#tool";

export default definePrompt({
  description: "Needs what nobody has given to the Worker.",
  requirements: { secrets: ["CLUB_SECRET"] },
  arguments: { what: { description: "Anything.", required: true, complete: () => ["this", "that"] } },
  get: () => "Never.",
});
