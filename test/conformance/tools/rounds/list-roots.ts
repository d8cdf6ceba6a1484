import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  name: "test_input_required_result_list_roots",
  version: "1.0.0",
  description: "Asks the caller which folders it works in.",
  output: v.string(),
  async run(_, ctx) {
    const roots = await ctx.roots("client_roots");
    return `The folders are: ${roots.map(({ uri }) => uri).join(", ")}`;
  },
});
