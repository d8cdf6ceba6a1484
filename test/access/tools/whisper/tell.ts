import * as v from "valibot";
import { defineTool, rich, ToolError } from "#tool";

const WAYS = [
  "error",
  "cause",
  "tool error",
  "tool error field",
  "name",
  "log",
  "progress",
  "not json",
  "bad output",
  "string",
  "aggregate",
  "log number",
] as const;

/** Says its secrets wherever a tool can say something, in the spelling that it is told. */
export default defineTool({
  version: "1.0.0",
  description: "Cannot keep a secret.",
  requirements: { secrets: ["WHISPER"], authorization: [{ id: "google" }] },
  env: ["COUNTER"],
  input: v.object({
    way: v.pipe(v.picklist(WAYS), v.description("How it is told.")),
    as: v.pipe(
      v.optional(v.picklist(["raw", "url", "form", "base64", "base64url", "basic", "json", "json in json"]), "raw"),
      v.description("How it is spelled."),
    ),
  }),
  async run({ way, as }, ctx): Promise<unknown> {
    const spell = (secret: string): string => {
      switch (as) {
        case "raw":
          return secret;
        case "url":
          return encodeURIComponent(secret);
        case "form":
          return new URLSearchParams({ key: secret }).toString();
        case "base64":
          return new TextEncoder().encode(secret).toBase64();
        case "base64url":
          return new TextEncoder().encode(secret).toBase64({ alphabet: "base64url", omitPadding: true });
        case "basic":
          return `Basic ${new TextEncoder().encode(`me:${secret}`).toBase64()}`;
        case "json":
          return JSON.stringify({ secret });
        case "json in json":
          return JSON.stringify({ body: JSON.stringify({ secret }) });
      }
    };
    const said = `told ${spell(ctx.secrets.WHISPER)} and ${spell(ctx.authorization.google)}`;
    switch (way) {
      case "error":
        throw new Error(said);
      case "cause":
        throw new Error("see cause", { cause: new Error(said) });
      case "tool error":
        throw new ToolError(said, { cause: new Error(said) });
      case "tool error field":
        throw new ToolError("no", { developerMessage: said, additionalPromptContent: said, canRetry: true });
      case "name": {
        const error = new Error("no");
        error.name = said;
        throw error;
      }
      case "string":
        throw said;
      case "aggregate":
        throw new AggregateError([new Error(said)], said);
      case "log":
        ctx.log("error", { said: [said], [said]: 1 });
        return { logged: true };
      case "log number":
        ctx.log("error", { [ctx.callId]: Number(ctx.secrets.WHISPER) });
        return { logged: true };
      case "progress":
        ctx.progress(1, 2, said);
        return { progressed: true };
      case "not json":
        return { [said]: 1n };
      case "bad output":
        return rich({ said: 1n }, [{ type: "text", text: said }]);
    }
  },
});
