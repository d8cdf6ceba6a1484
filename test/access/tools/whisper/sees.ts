import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Returns all that it sees of secrets.",
  requirements: { secrets: ["WHISPER"] },
  run: (_, ctx) => ({
    secrets: Object.keys(ctx.secrets),
    authorization: Object.keys(ctx.authorization),
    env: Object.keys(ctx.env),
    userId: ctx.userId ?? null,
    everything: JSON.stringify(ctx),
  }),
});
