import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Sends the user to a page, and returns its id.",
  async run(_, ctx) {
    const answer = await ctx.elicit("pay", { message: "Please pay.", url: (id) => `https://pay.example.com/${id}` });
    return answer.action === "accept" ? answer.content.id : answer.action;
  },
});
