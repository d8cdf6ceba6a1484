import * as v from "valibot";
import { defineTool } from "#tool";
import { pause } from "./_pause.ts";

export default defineTool({
  name: "test_reconnection",
  version: "1.0.0",
  description: "Lets the connection go and works on: its result is for a caller that comes back.",
  output: v.string(),
  async run(_, ctx) {
    ctx.release();
    await pause(100);
    return "The caller came back for this.";
  },
});
