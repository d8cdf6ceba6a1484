/** A tool as OXP's `GET /tools` lists it (OXP 1.0, Tool Definition). Runs at build time. */
import type { Described } from "../../core/describe.ts";

/** ToolDefinition is closed: nothing beyond these members may appear. */
export function describe(tool: Described): Record<string, unknown> {
  const { requirements } = tool.traits;
  const required = {
    ...(requirements?.authorization?.length && { authorization: requirements.authorization }),
    ...(requirements?.secrets?.length && { secrets: requirements.secrets.map((id) => ({ id })) }),
    ...(requirements?.userId && { user_id: true }),
  };
  return {
    id: `${tool.id}@${tool.version}`,
    name: tool.name,
    description: tool.description,
    version: tool.version,
    input_schema: { parameters: tool.input },
    output_schema: tool.output,
    ...(Object.keys(required).length > 0 && { requirements: required }),
  };
}
