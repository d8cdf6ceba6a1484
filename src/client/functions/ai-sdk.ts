/** OXP tools for the AI SDK (`ai`), which calls them by itself. docs/function-calling.md has an example. */
import type { ToolCaller, ToolDefinition } from "../oxp/types.ts";
import { type AiSdkDefinition, aiSdkDefinition } from "./definitions.ts";
import { answererOf, type FunctionOptions, toolsByName } from "./dispatch.ts";

export type { FailedCall, FunctionOptions } from "./dispatch.ts";

export interface AiSdkOptions<Schema> extends FunctionOptions {
  /** `jsonSchema` of `ai`: this module imports no package. */
  readonly jsonSchema: (schema: never) => Schema;
}

/** A dynamic tool, whose types are not known to the compiler (AI SDK, reference, `dynamicTool`). */
export interface AiSdkTool<Schema> extends Omit<AiSdkDefinition, "inputSchema"> {
  inputSchema: Schema;
  /** @throws what the model is told of a failure. The SDK makes it a part "tool-error", and goes on */
  execute(input: unknown, options: { abortSignal?: AbortSignal | undefined }): Promise<unknown>;
}

/**
 * @param definitions as `client.list()` returns them
 * @returns `tools` for `generateText`, `streamText` and agents. Spread tools of your own beside them.
 */
export function aiSdkTools<Schema>(
  definitions: readonly ToolDefinition[],
  caller: ToolCaller,
  options: AiSdkOptions<Schema>,
): { tools: Record<string, AiSdkTool<Schema>> } {
  const byName = toolsByName(definitions, options.filter);
  const entries = [...byName].map(([name, definition]) => {
    const defined = aiSdkDefinition(definition);
    const tool: AiSdkTool<Schema> = {
      ...defined,
      inputSchema: options.jsonSchema(defined.inputSchema as never),
      async execute(input, { abortSignal }) {
        const signals = [options.signal, abortSignal].filter((signal) => signal !== undefined);
        const signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
        const answer = await answererOf(byName, caller, { ...options, signal })(name, input);
        if (!answer.ok) throw new Error(answer.text);
        return answer.value === undefined ? answer.text : answer.value;
      },
    };
    return [name, tool] as const;
  });
  // Without a prototype: a model may call "constructor", and older versions of the SDK would find that.
  return { tools: Object.assign(Object.create(null), Object.fromEntries(entries)) };
}
