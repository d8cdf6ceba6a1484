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
  /** Names this use in its result. */
  readonly id: string;
  /** That of a tool of the request. */
  readonly name: string;
  /** As the model made it up. Nothing has checked it against the tool's schema. */
  readonly input: Readonly<Record<string, Json>>;
}

/** What a use of a tool has returned. */
export interface ToolResult {
  readonly type: "tool_result";
  readonly toolUseId: string;
  readonly content: OneOrMore<SamplingContent>;
  /** Whether the content says what went wrong. */
  readonly failed?: boolean;
}

/**
 * A message of a conversation that the client's model continues. After one in which the model uses tools, the next has
 * their results, one for each use, and nothing else ("Tool Use and Result Balance").
 */
export type SamplingMessage =
  | { readonly role: Role; readonly content: OneOrMore<SamplingContent | ToolUse> }
  | { readonly role: "user"; readonly content: OneOrMore<ToolResult> };

/** A tool that the model may use. It need not be one that this server lists. */
export interface SamplingTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of an object. */
  readonly input: { readonly type: "object" } & Readonly<Record<string, Json>>;
}

/** Which model to prefer. The client decides. Each priority is from 0 (does not matter) to 1. */
export interface ModelPreferences {
  /** Parts of names, in the order of preference: `{ name: "sonnet" }`. */
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
  /** For the provider of the model, in a form that it defines. */
  readonly metadata?: Readonly<Record<string, Json>>;
  /** Only for callers with the capability `sample-tools`. */
  readonly tools?: readonly SamplingTool[];
  /** Whether the model decides (`auto`, the default), has to use a tool, or may use none. */
  readonly toolChoice?: { readonly mode: "auto" | "required" | "none" };
}

/** What the model said. If it uses tools, `stopReason` is `toolUse`. */
export interface Sampled {
  readonly role: Role;
  readonly content: OneOrMore<SamplingContent | ToolUse>;
  readonly model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another of the model's provider. */
  readonly stopReason?: string;
}

/** Validates what a client says its model has answered. @returns undefined if it does not fit the request */
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
