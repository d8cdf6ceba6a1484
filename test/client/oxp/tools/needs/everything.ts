import { defineTool, ToolError } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Needs one of each, and says what it got.",
  requirements: {
    authorization: [{ id: "google", oauth2: { scopes: ["mail.read"] } }],
    secrets: ["API_KEY"],
    userId: true,
  },
  run(_, { authorization, secrets, userId }) {
    if (userId === "nobody") throw new ToolError(`Not with ${secrets.API_KEY} and ${authorization.google}`);
    return `${userId}, ${secrets.API_KEY.length}, ${authorization.google.length}`;
  },
});
