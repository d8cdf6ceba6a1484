import { defineTool } from "#tool";
import { ran } from "../vault/_ran.ts";

export default defineTool({
  version: "1.0.0",
  description: "May be called as often as a limiter says that nobody set up.",
  rate: 7,
  env: ["COUNTER"],
  async run(_, ctx) {
    await ran("shop.unmetered", ctx);
    return { got: true };
  },
});
