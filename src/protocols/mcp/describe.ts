/** A tool's parameters as MCP lists them, if they differ from the other protocols' listings. Runs at build time. */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";

/** The reserved argument of tools that take files, for those that were uploaded. */
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
 * The reserved argument for files that the host has. The host fills it in by itself, because the listing's `_meta` names
 * it. A host may refuse any other shape (Apps SDK, Reference, `openai/fileParams`).
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
 * What the listing's `_meta` says of a tool, besides what its author says: the argument for files of the host, and the
 * scopes that its callers need, in the form that ChatGPT reads (Apps SDK, Authentication, `securitySchemes`).
 *
 * @returns undefined if that is nothing more
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
