import * as v from "valibot";
import { defineTool, type ToolContext } from "#tool";
import stepped from "./stepped.event.ts";

const asked = async (ctx: ToolContext, key: string, message: string) => {
  const fields = { text: { type: "string", description: "Your answer." } } as const;
  const answer = await ctx.elicit(key, { message, fields, required: ["text"] });
  return answer.action === "accept" ? answer.content.text : answer.action;
};

export default defineTool({
  version: "1.0.0",
  description: "Does a step, reports, emits an event, and asks twice.",
  long: true,
  output: v.object({ token: v.string(), answers: v.array(v.string()) }),
  async run(_, ctx) {
    const token = await ctx.step("token", () => crypto.randomUUID());
    ctx.progress(1, 2, "half done");
    await ctx.emit(stepped, { token });
    const colour = await asked(ctx, "colour", "Which colour?");
    const size = await asked(ctx, "size", `Which size? (${token})`);
    return { token, answers: [colour, size] };
  },
});
