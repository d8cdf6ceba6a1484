/**
 * What all APIs share besides schemas: which tools a model is offered, under which names, and the answer to each of its
 * calls.
 */
import { isRecord, parseJson } from "../lib/json.ts";
import { redactor } from "../lib/redact.ts";
import { compareVersions } from "../lib/version.ts";
import { secretsIn } from "../oxp/requirements.ts";
import type { CallContext, ToolCaller, ToolDefinition } from "../oxp/types.ts";

export interface FunctionOptions {
  /** Which tools to offer. It sees every version: of those that it accepts, the latest of each tool is offered. */
  readonly filter?: ((tool: ToolDefinition) => boolean) | undefined;
  /** Sent with each call, and never to the model: if a tool repeats its secrets or tokens, they become `[redacted]`. */
  readonly context?: CallContext | undefined;
  /** Ends the calls under way. What waits for their results rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Longer results and errors are cut, and say so. In UTF-16 units. Default: 50,000. */
  readonly maxResultChars?: number | undefined;
  /** Gets what a failed call threw: models are not told of addresses, credentials and the like. For logs. */
  readonly onError?: ((error: unknown, call: FailedCall) => void) | undefined;
}

export interface FailedCall {
  /** `Toolkit.Tool@1.0.0` */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a model is told about one of its calls. */
export type Answer =
  /** `value` is the result as JSON. It is undefined if the text had to be cut, or the tool returned nothing. */
  { readonly ok: true; readonly text: string; readonly value: unknown } | { readonly ok: false; readonly text: string };

/** Answers one call of a model. Rejects with the reason of `options.signal`, and for nothing else. */
export type Answerer = (name: unknown, input: unknown) => Promise<Answer>;

/**
 * A name that every API accepts:
 * - OpenAI: "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64" (API reference, Chat
 *   Completions, `function.name`);
 * - Anthropic: `^[a-zA-Z0-9_-]{1,64}$` (Claude docs, Tool use, Define tools, "Tool definition", `name`);
 * - Gemini: the first one must be a letter or an underscore (API reference, FunctionDeclaration, `name`).
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_NAME = 64;
const MAX_RESULT_CHARS = 50_000;
const NOTHING = "The tool ran and returned nothing.";

/** The tools to offer, by the name under which a model calls them. */
export function toolsByName(
  definitions: readonly ToolDefinition[],
  filter: FunctionOptions["filter"],
): ReadonlyMap<string, ToolDefinition> {
  const names = namesOf(definitions);
  const tools = new Map<string, ToolDefinition>();
  for (const definition of definitions) {
    if (filter && !filter(definition)) continue;
    const name = names.get(idOf(definition)) as string;
    const other = tools.get(name);
    if (other === undefined || compareVersions(definition.version, other.version) > 0) tools.set(name, definition);
  }
  return tools;
}

/** @returns a name for each `Toolkit.Tool`. A filter does not change it, so that earlier calls in a conversation fit. */
function namesOf(definitions: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const definition of definitions) {
    const id = idOf(definition);
    if (names.has(id)) continue;
    let name = acceptable(definition.name);
    for (let count = 2; taken.has(name); count++) name = withSuffix(acceptable(definition.name), `_${count}`);
    taken.add(name);
    names.set(id, name);
  }
  return names;
}

/** The name under which a tool is offered, if no other has it. */
export function acceptable(name: string): string {
  if (NAME.test(name)) return name;
  const letters = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return (/^[A-Za-z_]/.test(letters) ? letters : `_${letters}`).slice(0, MAX_NAME);
}

const withSuffix = (name: string, suffix: string) => name.slice(0, MAX_NAME - suffix.length) + suffix;

/** `Toolkit.Tool` */
const idOf = ({ id }: ToolDefinition) => id.split("@", 1)[0] as string;

/** @returns a function that calls `tools` through `caller` */
export function answererOf(
  tools: ReadonlyMap<string, ToolDefinition>,
  caller: ToolCaller,
  { context, signal, maxResultChars = MAX_RESULT_CHARS, onError }: Omit<FunctionOptions, "filter">,
): Answerer {
  const redact = redactor(secretsIn(context));
  const failed = (text: string): Answer => ({ ok: false, text: cut(redact(text), maxResultChars) });

  return async (name, given) => {
    signal?.throwIfAborted();
    const definition = tools.get(name as string);
    if (definition === undefined) {
      return failed(`There is no tool named ${JSON.stringify(name)?.slice(0, 80)}. Call one of those you were given.`);
    }
    const input = argumentsOf(given);
    if (typeof input === "string") return failed(input);
    try {
      const { value } = await caller.call(definition.id, input, {
        ...(context && { context }),
        ...(signal && { signal }),
      });
      return succeeded(value, redact, maxResultChars);
    } catch (error) {
      signal?.throwIfAborted();
      onError?.(error, { tool: definition.id, input });
      return failed(textOf(error));
    }
  };
}

function succeeded(value: unknown, redact: (text: string) => string, maxResultChars: number): Answer {
  const json = JSON.stringify(value);
  if (json === undefined) return { ok: true, text: NOTHING, value: undefined };
  const redacted = redact(json);
  const kept = parseJson(redacted);
  const text = typeof kept === "string" ? kept : redacted;
  return { ok: true, text: cut(text, maxResultChars), value: text.length > maxResultChars ? undefined : kept };
}

/**
 * The arguments of a call, which some APIs send as an object and others as the text that the model wrote: that may be
 * anything. No text at all means no arguments.
 *
 * @returns a text for the model if they cannot be used
 */
function argumentsOf(given: unknown): Readonly<Record<string, unknown>> | string {
  const value = typeof given === "string" ? parseJson(given.trim() || "{}") : (given ?? {});
  if (isRecord(value)) return value;
  return "The arguments are not a JSON object, so the tool did not run. Call it again with a JSON object.";
}

/**
 * What a model may know of an error. Those of the OXP client say it in `promptText`: the tool's message, what its author
 * adds for models, and what is wrong with each parameter.
 */
function textOf(error: unknown): string {
  const { promptText } = (error ?? {}) as { promptText?: unknown };
  return typeof promptText === "string"
    ? promptText
    : "The tool could not be called. Try again later, or do without it.";
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // Not between the halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}\n… (cut: these are the first ${end} of ${text.length} characters)`;
}
