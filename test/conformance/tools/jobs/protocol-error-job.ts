import { defineTool } from "#tool";

export default defineTool({
  name: "protocol_error_job",
  version: "1.0.0",
  description: "Asks for something that the suite's client does not have, which is a protocol error.",
  long: true,
  async run(_, ctx) {
    await ctx.roots("folders");
  },
});
