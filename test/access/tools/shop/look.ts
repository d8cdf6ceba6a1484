import { defineTool } from "#tool";
import { ran } from "../vault/_ran.ts";

export default defineTool({
  version: "1.0.0",
  description: "Looks around.",
  env: ["COUNTER"],
  async run(_, ctx) {
    await ran("shop.look", ctx);
    return { principal: ctx.principal.id };
  },
});
