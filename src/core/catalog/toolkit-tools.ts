/** Loads the tools that a toolkit.ts makes in code. In a fork without such a toolkit, this module is not bundled. */
import type { ToolDefinition } from "../model/definition.ts";

interface ToolkitModule {
  readonly default: {
    tools?(): Readonly<Record<string, ToolDefinition>> | Promise<Readonly<Record<string, ToolDefinition>>>;
  };
}

/**
 * Asks a toolkit for its tools. The promise is not cached: one request must not wait for the work of another.
 *
 * @param names the tools that discovery found
 * @throws if one of them is missing
 */
export async function toolkitTools(
  module: Promise<ToolkitModule>,
  names: readonly string[],
): Promise<{ default: ToolDefinition[] }> {
  const { default: toolkit } = await module;
  const tools = new Map(Object.entries((await toolkit.tools?.()) ?? {}));
  return { default: names.map((name) => tools.get(name) ?? missing(name)) };
}

function missing(name: string): never {
  throw new Error(`toolkit.ts returned the tool "${name}" at build time, and does not return it now`);
}
