import { defineTool } from "#tool";
import { ran } from "../vault/_ran.ts";

export default defineTool({
  version: "1.0.0",
  description: "Buys something.",
  scopes: ["shop:buy", "shop:pay"],
  env: ["COUNTER"],
  async run(_, ctx) {
    await ran("shop.buy", ctx);
    return { bought: true };
  },
});
