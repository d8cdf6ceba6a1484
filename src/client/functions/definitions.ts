/** A tool as each API for models wants it defined. Pure: the modules of the APIs add what calls it. */
import type { JsonSchema, ToolDefinition } from "../oxp/types.ts";
import { GEMINI_RULES } from "./gemini-schema.ts";
import { described, type ParameterSchema, type SchemaRules } from "./schema.ts";

/**
 * Without strict mode, OpenAI takes any schema, but refuses lists without `items`, tuples among them: 400, "array schema
 * missing items" (github.com/AnswerDotAI/fastcore/issues/798).
 */
const OPENAI_RULES: SchemaRules = { tuples: false };
/** "JSON schema for this tool's input", draft 2020-12 (API reference, Messages, `tools[].input_schema`). */
const ANTHROPIC_RULES: SchemaRules = { tuples: true };
/** The AI SDK sends tools to whichever provider the program has chosen, so they are for the strictest. */
const AI_SDK_RULES: SchemaRules = { tuples: false };

/** An element of `tools` of OpenAI's Responses API. */
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

/** An element of `tools` of Chat Completions, where strict mode is off unless a tool turns it on. */
export interface OpenAiChatTool {
  type: "function";
  function: { name: string; description: string; parameters: ParameterSchema };
}

/** An element of `tools` of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: ParameterSchema;
}

/**
 * A function with its parameters in JSON Schema. The other member for them, `parameters`, takes a subset of OpenAPI 3.0,
 * in which one unknown keyword is a 400 (Gemini API reference, FunctionDeclaration).
 */
export interface GeminiFunction {
  name: string;
  description: string;
  parametersJsonSchema: JsonSchema;
}

/** What the AI SDK is told of a tool, besides how to call it (AI SDK, reference, `dynamicTool`). */
export interface AiSdkDefinition {
  type: "dynamic";
  description: string;
  inputSchema: ParameterSchema;
  /** The default of the SDK too, but OpenAI turns strict mode on if a provider does not mention it. */
  strict: false;
}

/** What is defined: the latest version of a tool, as `toolsByName` chooses it. */
type Given = Pick<ToolDefinition, "description" | "input_schema">;

export function openAiTool(name: string, { description, input_schema }: Given): OpenAiTool {
  return { type: "function", name, ...described(description, input_schema.parameters, OPENAI_RULES), strict: false };
}

export function openAiChatTool(name: string, { description, input_schema }: Given): OpenAiChatTool {
  return { type: "function", function: { name, ...described(description, input_schema.parameters, OPENAI_RULES) } };
}

export function anthropicTool(name: string, given: Given): AnthropicTool {
  const { description, parameters } = described(given.description, given.input_schema.parameters, ANTHROPIC_RULES);
  return { name, description, input_schema: parameters };
}

export function geminiFunction(name: string, given: Given): GeminiFunction {
  const { description, parameters } = described(given.description, given.input_schema.parameters, GEMINI_RULES);
  return { name, description, parametersJsonSchema: parameters };
}

export function aiSdkDefinition(given: Given): AiSdkDefinition {
  const { description, parameters } = described(given.description, given.input_schema.parameters, AI_SDK_RULES);
  return { type: "dynamic", description, inputSchema: parameters, strict: false };
}
