/** Loads tools that a toolkit.ts brings instead of files. Without such a toolkit, this file is not bundled. */
import type { ToolDefinition } from "../model/definition.ts";

interface ToolkitModule {
  readonly default: {
    tools?(): Readonly<Record<string, ToolDefinition>> | Promise<Readonly<Record<string, ToolDefinition>>>;
  };
}

/**
 * Asks a toolkit for its tools. Not kept for later calls: the work of one request must not wait for that of another.
 *
 * @param names those that discovery found
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
  throw new Error(`The toolkit brought "${name}" when it was built, and does not bring it now`);
}
