/**
 * OXP tools as functions for the OpenAI API: Responses (`openaiTools`), and Chat Completions, which many other servers
 * speak (`openaiChatTools`). docs/function-calling.md has an example of each.
 */
import type { ToolCaller, ToolDefinition } from "../oxp/types.ts";
import { type Answer, answererOf, type FunctionOptions, toolsByName } from "./dispatch.ts";
import { described, type ParameterSchema, type SchemaRules } from "./schema.ts";

export type { FailedCall, FunctionOptions } from "./dispatch.ts";

/**
 * Without strict mode, OpenAI takes any schema, but refuses lists without `items`, tuples among them: 400, "array schema
 * missing items" (github.com/AnswerDotAI/fastcore/issues/798).
 */
const RULES: SchemaRules = { tuples: false };

/** An element of `tools` of the Responses API. */
export interface OpenAiTool {
  type: "function";
  name: string;
  description: string;
  parameters: ParameterSchema;
  /**
   * Strict mode would make every optional parameter required, and refuse most keywords (guide "Function calling",
   * "Strict mode"). False is written out because Responses turns it on for the schemas that allow it if the member is
   * absent (API reference, Responses, `tools`, `strict`).
   */
  strict: false;
}

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
  const tools = [...byName].map(([name, { description, input_schema }]): OpenAiTool => {
    return { type: "function", name, ...described(description, input_schema.parameters, RULES), strict: false };
  });

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

/** An element of `tools` of Chat Completions, where strict mode is off unless a tool turns it on. */
export interface OpenAiChatTool {
  type: "function";
  function: { name: string; description: string; parameters: ParameterSchema };
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
  const tools = [...byName].map(([name, { description, input_schema }]): OpenAiChatTool => {
    return { type: "function", function: { name, ...described(description, input_schema.parameters, RULES) } };
  });

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
