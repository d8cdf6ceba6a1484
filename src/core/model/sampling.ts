/** Asking the client's model to continue a conversation (MCP 2025-11-25, client/sampling). */
import { isRecord, type Json } from "../lib/json.ts";
import type { Role } from "./content.ts";

type OneOrMore<Block> = Block | readonly Block[];

/** What people and models say. `data` is Base64. */
export type SamplingContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string };

/** The model wants to use one of the request's tools. */
export interface ToolUse {
  readonly type: "tool_use";
  /** The `toolUseId` of its result. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. Nothing has checked it against the tool's schema. */
  readonly input: Readonly<Record<string, Json>>;
}

/** The result of one use of a tool. */
export interface ToolResult {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: OneOrMore<SamplingContent>;
  /** Whether the content says what went wrong. */
  readonly failed?: boolean;
}

/**
 * A message of a conversation that the client's model continues. The message after one in which the model uses tools
 * must have the result of each use, and nothing else ("Tool Use and Result Balance").
 */
export type SamplingMessage =
  | { readonly role: Role; readonly content: OneOrMore<SamplingContent | ToolUse> }
  | { readonly role: "user"; readonly content: OneOrMore<ToolResult> };

/** A tool that the model may use. This server need not list it. */
export interface SamplingTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of an object. */
  readonly input: { readonly type: "object" } & Readonly<Record<string, Json>>;
}

/** Which model to prefer; the client decides. Each priority is from 0 (does not matter) to 1. */
export interface ModelPreferences {
  /** Parts of model names in order of preference: `{ name: "sonnet" }`. */
  readonly hints?: readonly { readonly name?: string }[];
  readonly costPriority?: number;
  readonly speedPriority?: number;
  readonly intelligencePriority?: number;
}

/** `includeContext` is left out: all its values but the default are deprecated (SEP-2596). */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly modelPreferences?: ModelPreferences;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  /** Passed to the model's provider, which defines its form. */
  readonly metadata?: Readonly<Record<string, Json>>;
  /** Only for callers with the capability `sample-tools`. */
  readonly tools?: readonly SamplingTool[];
  /** Whether the model decides (`auto`, the default), must use a tool, or must not. */
  readonly toolChoice?: { readonly mode: "auto" | "required" | "none" };
}

/** The model's answer. If it uses tools, `stopReason` is `toolUse`. */
export interface Sampled {
  readonly role: Role;
  readonly content: OneOrMore<SamplingContent | ToolUse>;
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or one that the model's provider defines. */
  readonly stopReason?: string;
}

/** Validates the answer of the client's model. @returns undefined if it does not fit the request */
export function readSampled(
  { tools = [], toolChoice }: SamplingRequest,
  { role, content, model, stopReason }: Record<string, unknown>,
): Sampled | undefined {
  const usable = toolChoice?.mode === "none" ? [] : tools.map(({ name }) => name);
  if ((role !== "assistant" && role !== "user") || typeof model !== "string") return undefined;
  if (![content].flat().every((block) => isSampled(block, usable))) return undefined;
  const said = { role, content: content as Sampled["content"], model } as const;
  return typeof stopReason === "string" ? { ...said, stopReason } : said;
}

function isSampled(block: unknown, usable: readonly unknown[]): boolean {
  if (!isRecord(block)) return false;
  const { type, text, data, mimeType, id, name, input } = block;
  if (type === "text") return typeof text === "string";
  if (type === "image" || type === "audio") return typeof data === "string" && typeof mimeType === "string";
  return type === "tool_use" && typeof id === "string" && isRecord(input) && usable.includes(name);
}
