/** A tool, and a caller that remembers what it is called with, for tests of what a model is told. */
import { anthropicTools } from "../../../src/client/functions/anthropic.ts";
import type { FunctionOptions } from "../../../src/client/functions/dispatch.ts";
import type { CallOptions, ToolCaller, ToolDefinition } from "../../../src/client/oxp/types.ts";

export function tool(id: string, name = (id.split("@")[0] as string).replace(".", "_")): ToolDefinition {
  const version = id.split("@")[1] ?? "1.0.0";
  return { id, name, description: `Is ${id}.`, version, input_schema: { parameters: {} }, output_schema: {} };
}

export interface Called {
  readonly tool: string;
  readonly input: object;
  readonly options: CallOptions | undefined;
}

/** A caller that remembers its calls. */
export function callerOf(value: unknown | ((input: never) => unknown)): ToolCaller & { readonly calls: Called[] } {
  const calls: Called[] = [];
  return {
    calls,
    async call(tool, input, options) {
      calls.push({ tool, input, options });
      return { value: typeof value === "function" ? await value(input) : value };
    },
  };
}

export const failing = (error: unknown) => callerOf(() => Promise.reject(error));

/** What comes of one call of `Kit.Do`. */
export async function told(caller: ToolCaller, options: FunctionOptions = {}, input: unknown = {}) {
  const { run } = anthropicTools([tool("Kit.Do@1.0.0")], caller, options);
  const [message] = await run([{ type: "tool_use", id: "1", name: "Kit_Do", input }]);
  return message?.content[0];
}
