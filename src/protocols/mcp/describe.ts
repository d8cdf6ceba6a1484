/** A tool's parameters as MCP lists them, where that is more than every listing says. Runs at build time. */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";

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

/** How a client without sessions keeps one (2026-07-28; SEP-2567, Explicit state handles). */
const SESSION: JsonSchema = {
  type: "string",
  description:
    "The handle from the end of an earlier result, to go on with what was begun there. Leave it out to begin anew. " +
    "What was begun is forgotten when it is not used for long.",
};

/**
 * The same for clients of 2026-07-28.
 *
 * @returns undefined where it is
 */
export function describeModern(tool: Described): JsonSchema | undefined {
  if (!tool.traits.session) return undefined;
  const schema = describe(tool) ?? tool.input;
  return { ...schema, properties: { ...(schema.properties as object), session: SESSION } };
}

/** @returns undefined where the flat schema of all listings says it all */
export function describe({ input, verbatim, traits }: Described): JsonSchema | undefined {
  if (!traits.attachments) return verbatim;
  const schema = verbatim ?? input;
  return { ...schema, properties: { attachments: ATTACHMENTS, ...(schema.properties as object) } };
}
