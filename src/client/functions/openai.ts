/**
 * OXP tools as functions for the OpenAI API: Responses (`openaiTools`), and Chat Completions, which many other servers
 * speak (`openaiChatTools`). docs/function-calling.md has an example of each.
 */
import type { ToolCaller, ToolDefinition } from "../oxp/types.ts";
import { openAiChatTool, openAiTool } from "./definitions.ts";
import { type Answer, answererOf, type FunctionOptions, toolsByName } from "./dispatch.ts";

export type { OpenAiChatTool, OpenAiTool } from "./definitions.ts";
export type { FailedCall, FunctionOptions } from "./dispatch.ts";

/** An item of a response that calls a function (API reference, Responses, "Function tool call"). */
export interface OpenAiItem {
  readonly type: string;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

/** An item of the next request's `input`. There is no mark for errors: their text begins with "Error:". */
export interface OpenAiOutput {
  type: "function_call_output";
  call_id: string;
  output: string;
}

/**
 * @param definitions as `client.list()` returns them
 * @returns `tools` for the request, and `run`, which takes a response, or items of one, and returns an output for each
 *          function call. An empty list means that the model has called none.
 */
export function openaiTools(definitions: readonly ToolDefinition[], caller: ToolCaller, options: FunctionOptions = {}) {
  const byName = toolsByName(definitions, options.filter);
  const answer = answererOf(byName, caller, options);
  const tools = [...byName].map(([name, definition]) => openAiTool(name, definition));

  async function run(
    from: { readonly output: readonly OpenAiItem[] } | readonly OpenAiItem[],
  ): Promise<OpenAiOutput[]> {
    const items = "output" in from ? from.output : from;
    const calls = items.filter(({ type }) => type === "function_call");
    return Promise.all(
      calls.map(async ({ call_id, name, arguments: input }) => {
        const output = textOf(await answer(name, input));
        return { type: "function_call_output" as const, call_id: call_id as string, output };
      }),
    );
  }
  return { tools, run };
}

/** A message of a model (API reference, Chat Completions, "The chat completion object"). */
export interface OpenAiChatMessage {
  readonly tool_calls?: readonly OpenAiChatCall[] | null | undefined;
}

/** Servers other than OpenAI's may leave out members, and send arguments as an object. */
export interface OpenAiChatCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | undefined;
}

export interface OpenAiChatResult {
  role: "tool";
  tool_call_id: string;
  content: string;
}

/**
 * @param definitions as `client.list()` returns them
 * @returns `tools` for the request, and `run`, which takes a completion or its message and returns a message for each
 *          call, to append after the model's. An empty list means that the model has called no tool.
 */
export function openaiChatTools(
  definitions: readonly ToolDefinition[],
  caller: ToolCaller,
  options: FunctionOptions = {},
) {
  const byName = toolsByName(definitions, options.filter);
  const answer = answererOf(byName, caller, options);
  const tools = [...byName].map(([name, definition]) => openAiChatTool(name, definition));

  async function run(
    from: { readonly choices: readonly { readonly message: OpenAiChatMessage }[] } | OpenAiChatMessage,
  ): Promise<OpenAiChatResult[]> {
    const message = "choices" in from ? from.choices[0]?.message : from;
    return Promise.all(
      (message?.tool_calls ?? []).map(async ({ id, function: called }) => {
        const content = textOf(await answer(called?.name, called?.arguments));
        return { role: "tool" as const, tool_call_id: id as string, content };
      }),
    );
  }
  return { tools, run };
}

const textOf = ({ ok, text }: Answer) => (ok ? text : `Error: ${text}`);
