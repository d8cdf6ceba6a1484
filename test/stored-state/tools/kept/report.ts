import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Asks for a file while it works.",
  attachments: true,
  long: true,
  async run(_, ctx) {
    const answer = await ctx.upload("report", { message: "Choose the report" });
    return answer.action === "accept" ? answer.file.text() : answer.action;
  },
});
