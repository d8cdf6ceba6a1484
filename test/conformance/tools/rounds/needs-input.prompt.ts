import { definePrompt } from "#tool";

export default definePrompt({
  name: "test_input_required_result_prompt",
  description: "A prompt that asks what it should be about.",
  async get(_, ctx) {
    const answer = await ctx.elicit("user_context", {
      message: "What should the prompt be about?",
      fields: { context: { type: "string", description: "A few words." } },
      required: ["context"],
    });
    return `Write about ${answer.action === "accept" ? answer.content.context : "anything"}.`;
  },
});
