import { defineTool } from "#tool";
import { ran } from "../vault/_ran.ts";

export default defineTool({
  version: "1.0.0",
  description: "May be called ten times a minute.",
  rate: 10,
  env: ["COUNTER"],
  async run(_, ctx) {
    await ran("shop.rare", ctx);
    return { got: true };
  },
});
