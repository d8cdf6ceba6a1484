import { defineTool, ToolError } from "#tool";

export default defineTool({
  name: "failing_job",
  version: "1.0.0",
  description: "Fails after a second.",
  long: "tasks-only",
  async run() {
    await scheduler.wait(1_000);
    throw new ToolError("The job has failed");
  },
});
