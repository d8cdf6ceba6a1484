/** OXP tools for the Anthropic Messages API. docs/function-calling.md has an example. */
import type { ToolCaller, ToolDefinition } from "../oxp/types.ts";
import { anthropicTool } from "./definitions.ts";
import { answererOf, type FunctionOptions, toolsByName } from "./dispatch.ts";

export type { AnthropicTool } from "./definitions.ts";
export type { FailedCall, FunctionOptions } from "./dispatch.ts";

/** A block of a message: `tool_use` calls a tool. */
export interface AnthropicBlock {
  readonly type: string;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
}

/** The message after the model's: one result for each call, and no text before them (Tool use, "Handle tool calls"). */
export interface AnthropicResults {
  role: "user";
  content: AnthropicResult[];
}

export interface AnthropicResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
}

/**
 * @param definitions as `client.list()` returns them
 * @returns `tools` for the request, and `run`, which takes a message or blocks of one and returns a list of the one
 *          message to append after it. An empty list means that the model has called no tool.
 */
export function anthropicTools(
  definitions: readonly ToolDefinition[],
  caller: ToolCaller,
  options: FunctionOptions = {},
) {
  const byName = toolsByName(definitions, options.filter);
  const answer = answererOf(byName, caller, options);
  const tools = [...byName].map(([name, definition]) => anthropicTool(name, definition));

  async function run(
    from: { readonly content: readonly AnthropicBlock[] } | readonly AnthropicBlock[],
  ): Promise<AnthropicResults[]> {
    const blocks = "content" in from ? from.content : from;
    const content = await Promise.all(
      blocks
        .filter(({ type }) => type === "tool_use")
        .map(async ({ id, name, input }): Promise<AnthropicResult> => {
          const { ok, text } = await answer(name, input);
          return { type: "tool_result", tool_use_id: id as string, content: text, ...(!ok && { is_error: true }) };
        }),
    );
    return content.length === 0 ? [] : [{ role: "user", content }];
  }
  return { tools, run };
}
