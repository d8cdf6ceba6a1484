/** OXP tools for the Gemini API (`generateContent`). docs/function-calling.md has an example. */
import type { JsonSchema, ToolCaller, ToolDefinition } from "../oxp/types.ts";
import { answererOf, type FunctionOptions, toolsByName } from "./dispatch.ts";
import { GEMINI_RULES } from "./gemini-schema.ts";
import { described } from "./schema.ts";

export type { FailedCall, FunctionOptions } from "./dispatch.ts";

/** An element of `config.tools`. */
export interface GeminiTool {
  functionDeclarations: GeminiFunction[];
}

/**
 * A function with its parameters in JSON Schema. The other member for them, `parameters`, takes a subset of OpenAPI 3.0,
 * in which one unknown keyword is a 400 (API reference, FunctionDeclaration).
 */
export interface GeminiFunction {
  name: string;
  description: string;
  parametersJsonSchema: JsonSchema;
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
  const functionDeclarations = [...byName].map(([name, definition]): GeminiFunction => {
    const { parameters } = definition.input_schema;
    const { description, parameters: parametersJsonSchema } = described(
      definition.description,
      parameters,
      GEMINI_RULES,
    );
    return { name, description, parametersJsonSchema };
  });
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
