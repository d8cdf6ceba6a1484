/** Describes a tool's parameters for MCP where its listing differs from other protocols'. Runs at build time. */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";

/** The reserved argument for uploaded files, of tools that take files. */
const ATTACHMENTS: JsonSchema = {
  type: "array",
  description: "Files for the tool, uploaded before the call.",
  items: {
    type: "object",
    properties: { file_id: { type: "string" }, filename: { type: "string" }, content_type: { type: "string" } },
    required: ["file_id"],
  },
};

/**
 * The reserved argument for files that the host has. The listing's `_meta` names it, so that the host, not the model,
 * fills it in. A host may refuse any other shape (Apps SDK, Reference, `openai/fileParams`).
 */
const HOST_FILES: JsonSchema = {
  type: "array",
  description: "Files that the host attaches.",
  items: {
    type: "object",
    properties: {
      download_url: { type: "string" },
      file_id: { type: "string" },
      mime_type: { type: "string" },
      file_name: { type: "string" },
    },
    required: ["download_url", "file_id"],
  },
};

/** The argument by which a client without sessions continues one (2026-07-28; SEP-2567, Explicit state handles). */
const SESSION: JsonSchema = {
  type: "string",
  description:
    "The handle from the end of an earlier result, to continue its session. Leave it out to start a new session. " +
    "A session that is not used for long is forgotten.",
};

/** The argument by which a client without tasks asks for the result of a long call. */
const TASK_ID: JsonSchema = {
  type: "string",
  description:
    "Only to get the result of an earlier call that was still working: the task_id that it returned. Send the other " +
    "arguments, too; they are not used then. Leave it out to start a new call.",
};

/**
 * The input schema for clients of 2026-07-28.
 *
 * @returns undefined if it is the same as for other clients
 */
export function describeModern(tool: Described): JsonSchema | undefined {
  if (!tool.options.session) return undefined;
  const schema = describe(tool) ?? tool.input;
  return { ...schema, properties: { ...(schema.properties as object), session: SESSION } };
}

/**
 * The `_meta` of a tool in the listing. Adds to the author's the argument for files of the host, and the scopes that
 * callers need, in the form that ChatGPT reads (Apps SDK, Authentication, `securitySchemes`).
 *
 * @returns undefined if it is empty
 */
export function describeMeta({ attachments, scopes, meta }: Described["options"]): Described["options"]["meta"] {
  const own = meta?.["openai/fileParams"];
  const more = {
    ...(scopes?.length && { securitySchemes: [{ type: "oauth2", scopes: [...scopes] }] }),
    ...meta,
    ...(attachments && { "openai/fileParams": [...(Array.isArray(own) ? own : []), "host_files"] }),
  };
  return Object.keys(more).length > 0 ? more : undefined;
}

/** The input schema for MCP clients. @returns undefined if it is the same as in other protocols' listings */
export function describe(tool: Pick<Described, "input" | "verbatim" | "options">): JsonSchema | undefined {
  const { input, verbatim, options } = tool;
  if (!options.attachments && !options.long) return verbatim;
  const schema = verbatim ?? input;
  const properties = {
    ...(options.attachments && { attachments: ATTACHMENTS, host_files: HOST_FILES }),
    ...(schema.properties as object),
    ...(options.long && { task_id: TASK_ID }),
  };
  return { ...schema, properties };
}
