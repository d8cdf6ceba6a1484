/** A tool as MCP's `tools/list` lists it (2025-11-25 and 2026-07-28, server/tools, Tool). Runs at build time. */
import type { Described, JsonSchema } from "../../core/describe.ts";

/** How this server lists the reserved argument of the gateway seed ("Attachments"), where a tool takes files. */
const ATTACHMENTS: JsonSchema = {
  type: "array",
  description: "Files for the tool, as uploaded before the call.",
  items: {
    type: "object",
    properties: { file_id: { type: "string" }, filename: { type: "string" }, content_type: { type: "string" } },
    required: ["file_id"],
  },
};

/**
 * @param outputs what `structuredContent` may be in the reader's revision: `any` JSON value since 2026-07-28,
 *                `objects` before, where any other result is wrapped as `{"value": …}`
 */
export function describe(tool: Described, outputs: "any" | "objects"): Record<string, unknown> {
  const { title, annotations, attachments } = tool.traits;
  const input = attachments
    ? { ...tool.input, properties: { ...tool.input.properties, attachments: ATTACHMENTS } }
    : tool.input;
  return {
    name: tool.name,
    ...(title !== undefined && { title }),
    description: tool.description,
    inputSchema: input,
    ...outputSchema(tool.output, outputs),
    ...(annotations && {
      annotations: {
        ...(annotations.readOnly !== undefined && { readOnlyHint: annotations.readOnly }),
        ...(annotations.destructive !== undefined && { destructiveHint: annotations.destructive }),
        ...(annotations.idempotent !== undefined && { idempotentHint: annotations.idempotent }),
        ...(annotations.openWorld !== undefined && { openWorldHint: annotations.openWorld }),
      },
    }),
  };
}

function outputSchema(output: JsonSchema | null, outputs: "any" | "objects"): { outputSchema?: JsonSchema } {
  // A tool without output, or with any, promises nothing.
  if (output === null || Object.keys(output).length === 0) return {};
  if (outputs === "any" || output.type === "object") return { outputSchema: output };
  return { outputSchema: { type: "object", properties: { value: output }, required: ["value"] } };
}
