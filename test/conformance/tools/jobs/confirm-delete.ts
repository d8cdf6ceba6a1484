import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "confirm_delete",
  version: "1.0.0",
  description: "Asks before it would delete a file.",
  long: true,
  input: v.object({ filename: v.pipe(v.string(), v.description("The file.")) }),
  output: v.string(),
  async run({ filename }, ctx) {
    const answer = await ctx.elicit("confirm", {
      message: `Delete ${filename}?`,
      fields: { confirm: { type: "boolean", description: "Whether to delete it." } },
      required: ["confirm"],
    });
    return answer.action === "accept" && answer.content.confirm ? `${filename} is deleted` : `${filename} is kept`;
  },
});
