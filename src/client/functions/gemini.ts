/** OXP tools for the Gemini API (`generateContent`). docs/function-calling.md has an example. */
import type { ToolCaller, ToolDefinition } from "../oxp/types.ts";
import { type GeminiFunction, geminiFunction } from "./definitions.ts";
import { answererOf, type FunctionOptions, toolsByName } from "./dispatch.ts";

export type { GeminiFunction } from "./definitions.ts";
export type { FailedCall, FunctionOptions } from "./dispatch.ts";

/** An element of `config.tools`. */
export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

/** A part of a model's content. */
export interface GeminiPart {
  readonly functionCall?: { readonly id?: unknown; readonly name?: unknown; readonly args?: unknown } | undefined;
}

export interface GeminiContent {
  readonly parts?: readonly GeminiPart[] | undefined;
}

/** The content after the model's: as many responses as there were calls, in their order. */
export interface GeminiResults {
  role: "user";
  parts: GeminiResult[];
}

/** `output` has the result, `error` what went wrong (API reference, FunctionResponse, `response`). */
export interface GeminiResult {
  functionResponse: { id?: string; name: string; response: { output: unknown } | { error: string } };
}

/**
 * @param definitions as `client.list()` returns them
 * @returns `tools` for the request's `config`, and `run`, which takes a response, a content or parts of one and returns a
 *          list of the one content to append after it. An empty list means that the model has called no function.
 */
export function geminiTools(definitions: readonly ToolDefinition[], caller: ToolCaller, options: FunctionOptions = {}) {
  const byName = toolsByName(definitions, options.filter);
  const answer = answererOf(byName, caller, options);
  const functionDeclarations = [...byName].map(([name, definition]) => geminiFunction(name, definition));
  const tools: GeminiTool[] = functionDeclarations.length === 0 ? [] : [{ functionDeclarations }];

  async function run(
    from:
      | { readonly candidates?: readonly { readonly content?: GeminiContent | undefined }[] | undefined }
      | GeminiContent
      | readonly GeminiPart[],
  ): Promise<GeminiResults[]> {
    const content =
      "candidates" in from ? from.candidates?.[0]?.content : (from as GeminiContent | readonly GeminiPart[]);
    const parts = isParts(content) ? content : (content?.parts ?? []);
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
    const results = await Promise.all(
      calls.map(async ({ id, name, args }): Promise<GeminiResult> => {
        const answered = await answer(name, args);
        const response = answered.ok
          ? { output: answered.value === undefined ? answered.text : answered.value }
          : { error: answered.text };
        // The Gemini API may leave the id out: then the order says which response belongs to which call.
        return { functionResponse: { ...(id !== undefined && { id: id as string }), name: name as string, response } };
      }),
    );
    return results.length === 0 ? [] : [{ role: "user", parts: results }];
  }
  return { tools, run };
}

function isParts(content: GeminiContent | readonly GeminiPart[] | undefined): content is readonly GeminiPart[] {
  return Array.isArray(content);
}
