/** A tool's parameters as MCP lists them, where that is more than every listing says. Runs at build time. */
import type { Described, JsonSchema } from "../../core/describe.ts";

/** The reserved argument of the gateway seed ("Attachments"), shown where a tool takes files. */
const ATTACHMENTS: JsonSchema = {
  type: "array",
  description: "Files for the tool, uploaded before the call.",
  items: {
    type: "object",
    properties: { file_id: { type: "string" }, filename: { type: "string" }, content_type: { type: "string" } },
    required: ["file_id"],
  },
};

/** @returns undefined where the flat schema of all listings says it all */
export function describe({ input, verbatim, traits }: Described): JsonSchema | undefined {
  if (!traits.attachments) return verbatim;
  const schema = verbatim ?? input;
  return { ...schema, properties: { attachments: ATTACHMENTS, ...(schema.properties as object) } };
}
