/** The module that tool authors import as `#tool`: the `define…` functions, `ToolError` and types. Runs nothing. */

import type { Json } from "./core/lib/json.ts";
import type { Block, Omitted, Rich } from "./core/model/content.ts";
import type {
  Bindings,
  Requirements,
  RunInput,
  RunOutput,
  ToolDefinition,
  ToolOptions,
} from "./core/model/definition.ts";
import type { Fault } from "./core/model/outcome.ts";
import type {
  Event,
  EventContext,
  Prompt,
  PromptArguments,
  Resource,
  ViewOptions,
  Visibility,
} from "./core/model/primitives.ts";
import type { StandardSchema, Validated } from "./core/model/schema.ts";
import type { LongContext, ToolContext } from "./core/model/tool-context.ts";
import type { Listing } from "./core/model/tool-description.ts";
import type { UploadContext } from "./features/files/upload-request.ts";
import type { OwnWorker } from "./features/own-worker/own-worker.ts";
import type { VariablesOf } from "./features/uri-templates/variables.ts";
import type { OpenToolOptions, OpenToolTool } from "./from-opentool.ts";

export type { Json } from "./core/lib/json.ts";
export type { Change } from "./core/model/change.ts";
export type { Block, ContentAnnotations, PromptMessage, ResourceContents, Rich } from "./core/model/content.ts";
export type { Attachment, Bindings, LogLevel, Trace } from "./core/model/definition.ts";
export type { Capability, ClientInfo, Elicited, Fields, Root } from "./core/model/elicitation.ts";
export type { DeliveryMode, Event, EventContext, ViewOptions, Visibility } from "./core/model/primitives.ts";
export type { Principal } from "./core/model/principal.ts";
export type { Sampled, SamplingMessage, SamplingRequest, ToolResult, ToolUse } from "./core/model/sampling.ts";
export type { Session } from "./core/model/session.ts";
export type { LongContext, StepOptions, ToolContext } from "./core/model/tool-context.ts";
export type { Listing, ListingRule } from "./core/model/tool-description.ts";
export type { UploadContext, Uploaded, UploadRequest } from "./features/files/upload-request.ts";
export type { Authenticated, OwnWorker } from "./features/own-worker/own-worker.ts";
export type { OpenToolOptions, OpenToolTool } from "./from-opentool.ts";

/** One version of one tool. The types of `run` follow from the other fields. */
export interface Tool<
  Input extends StandardSchema | undefined,
  Output extends StandardSchema | null | undefined,
  Secret extends string,
  Authorization extends string,
  NeedsUser extends boolean,
  Env extends string,
  Long extends boolean | "tasks-only" = false,
  Prepared = undefined,
  Attaches extends boolean = false,
> extends Omit<ToolOptions, "requirements" | "env" | "headers" | "appOnly" | "long" | "attachments"> {
  /** Name of the tool over MCP and OpenTool. Default: `Toolkit_Tool`. */
  readonly name?: string;
  /** Three integers: `1.0.0`. Other files may define other versions of the same tool. */
  readonly version: string;
  /** When and how to use the tool, for a model. */
  readonly description: string;
  /** An object schema, each property with a description. Without it, the tool takes no parameters. */
  readonly input?: Input;
  /** Schema of the value that `run` returns; `null` for none. Without it, `run` may return any JSON value. */
  readonly output?: Output;
  /** Secrets, authorizations and user id without which the tool does not run. */
  readonly requirements?: Requirements<Secret, Authorization> & { readonly userId?: NeedsUser };
  readonly env?: readonly Env[];
  /**
   * Whether a call may outlive its request (docs/tasks.md), up to `timeoutMs`. `"tasks-only"`: over MCP 2026-07-28,
   * only clients with the tasks extension may call it.
   */
  readonly long?: Long;
  /** Whether it takes files (docs/files.md). Adds parameters to MCP's listing, and `ctx.upload`. */
  readonly attachments?: Attaches;
  /** What the tool's view may do and how it is shown, if a file beside the tool is its view (docs/views.md). */
  readonly view?: ViewOptions;
  /** Who may call it. `["app"]` hides it from models, and from hosts without views. Default: models and views. */
  readonly visibility?: readonly Visibility[];
  /** Rules of docs/listings.md that discovery does not apply: `{ allow: ["tuple"] }`. */
  readonly listing?: Listing;
  /**
   * Only for a long tool: runs in the request before the rest becomes a task, for at most 60 seconds. Use it to ask
   * questions that must be answered first, and to check what can fail at once. It may run several times for one task,
   * so it must have no effect. `run` gets the returned value, as JSON, in `ctx.prepared`.
   */
  prepare?(
    input: RunInput<Input>,
    ctx: ToolContext<Secret, Authorization, NeedsUser extends true ? string : string | undefined, Env> &
      (Attaches extends false ? unknown : UploadContext),
  ): Prepared | Promise<Prepared>;
  run(
    input: RunInput<Input>,
    ctx: ToolContext<Secret, Authorization, NeedsUser extends true ? string : string | undefined, Env> &
      EventContext &
      (Long extends false ? unknown : LongContext<Prepared>) &
      (Attaches extends false ? unknown : UploadContext),
  ): RunOutput<Output> | Promise<RunOutput<Output>>;
}

/**
 * Defines one version of a tool; a file under `tools/<toolkit>/` exports it by default.
 *
 * @example
 * export default defineTool({
 *   version: "1.0.0",
 *   description: "Adds two numbers together.",
 *   input: v.object({
 *     a: v.pipe(v.number(), v.description("The first number to add.")),
 *     b: v.pipe(v.number(), v.description("The second number to add.")),
 *   }),
 *   output: v.number(),
 *   run: ({ a, b }) => a + b,
 * });
 */
export function defineTool<
  Input extends StandardSchema | undefined = undefined,
  Output extends StandardSchema | null | undefined = undefined,
  const Secret extends string = never,
  const Authorization extends string = never,
  const NeedsUser extends boolean = false,
  const Env extends string = never,
  const Long extends boolean | "tasks-only" = false,
  Prepared = undefined,
  const Attaches extends boolean = false,
>(
  tool: Tool<Input, Output, Secret, Authorization, NeedsUser, Env, Long, Prepared, Attaches>,
): Tool<Input, Output, Secret, Authorization, NeedsUser, Env, Long, Prepared, Attaches> {
  return tool;
}

/** Defines a prompt; a file `tools/<toolkit>/<name>.prompt.ts` exports it by default. */
export function definePrompt<
  const Args extends PromptArguments<never> = Record<never, never>,
  const Secret extends string = never,
  const Authorization extends string = never,
  const NeedsUser extends boolean = false,
  const Env extends string = never,
>(prompt: Prompt<Args, Secret, Authorization, NeedsUser, Env>): typeof prompt {
  return prompt;
}

/**
 * Defines a resource, or a family of resources if its URI has `{variables}`; a file
 * `tools/<toolkit>/<name>.resource.ts` exports it by default.
 *
 * @example
 * export default defineResource({
 *   uri: "search://notes{?q,tag*}",
 *   description: "Notes that have a text and all of these tags.",
 *   read: ({ q, tag }) => find(q, tag).join("\n"),
 * });
 */
export function defineResource<
  const Uri extends string,
  const Secret extends string = never,
  const Authorization extends string = never,
  const NeedsUser extends boolean = false,
  const Env extends string = never,
>(resource: Resource<Uri, VariablesOf<Uri>, Secret, Authorization, NeedsUser, Env>): typeof resource {
  return resource;
}

/**
 * Defines an event; a file `tools/<toolkit>/<name>.event.ts` exports it by default. Tools import it for `ctx.emit`.
 *
 * @example
 * export default defineEvent({
 *   name: "notes.changed",
 *   description: "A note was added or removed.",
 *   payload: v.object({ id: v.number() }),
 * });
 */
export function defineEvent<Payload extends StandardSchema, Input extends StandardSchema | undefined = undefined>(
  event: Event<Payload, Input>,
): Event<Payload, Input> {
  return event;
}

/**
 * Makes a schema from JSON Schema (draft 2020-12) instead of a library. Listings have its `$ref`s written out. Input is
 * checked by `validate`, or without it by the schema itself, which ignores `format`. Results of tools and data of
 * events are checked by both.
 */
export function jsonSchema<Value = Record<string, unknown>>(
  schema: Readonly<Record<string, unknown>>,
  validate?: (value: unknown) => Validated<Value>,
): StandardSchema<Value> & { readonly schema: typeof schema; readonly checked: boolean } {
  const accept = (value: unknown) => ({ value: value as Value });
  return {
    schema,
    checked: validate !== undefined,
    "~standard": { version: 1, vendor: "trivet", validate: validate ?? accept },
  };
}

/** Settings of a toolkit, exported by `tools/<toolkit>/toolkit.ts`. */
export interface Toolkit<Tools extends ToolkitTools = ToolkitTools> {
  /** The folder's name in another casing: `SMS` for `sms`. */
  readonly name?: string;
  /**
   * A paragraph for models: when to use these tools, and in which order. MCP clients get it when they connect, together
   * with `tools/instructions.md`.
   */
  readonly instructions?: string;
  /**
   * Returns tools that have no files, by name: `getForecast` becomes `Weather.GetForecast`. Discovery calls this
   * function, and the Worker calls it again before the first call of each tool, so it must not need the network,
   * secrets or bindings.
   */
  tools?(): Tools | Promise<Tools>;
}

type ToolkitTools = Readonly<Record<string, ToolDefinition>>;

/** Defines a toolkit: its name (if PascalCase of the folder's name is wrong), instructions, tools without files. */
export function defineToolkit<Tools extends ToolkitTools = ToolkitTools>(toolkit: Toolkit<Tools>): Toolkit<Tools> {
  return toolkit;
}

/**
 * Makes the `tools` of a toolkit from a tool of OpenTool's SDKs (docs/opentool.md): a tool for each function in
 * the description that it loads. A function keeps its name over MCP and OpenTool, and its result is the map that `call`
 * returns. An exception of the SDKs (with code, message and `toJson`) fails the call with its message.
 *
 * @returns a function that throws a TypeError if the description that `load` returns cannot be served
 * @example
 * export default defineToolkit({ tools: fromOpenTool(new Weather()) });
 */
export function fromOpenTool(tool: OpenToolTool, options: OpenToolOptions = {}) {
  return async () => (await import("./from-opentool.ts")).toolsOf(tool, options, { jsonSchema, ToolError });
}

/** Defines middleware, routes and other handlers of the Worker; the file `tools/worker.ts` exports it by default. */
export function defineWorker<Env extends object = Bindings, Message = unknown>(
  worker: OwnWorker<Env, Message>,
): OwnWorker<Env, Message> {
  return worker;
}

/**
 * Thrown by a tool to fail the call with a message for the user and the model. If a tool throws anything else, the
 * caller gets one fixed sentence and the log gets the details.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly fault: Fault;

  constructor(message: string, options: Omit<Fault, "message"> & { readonly cause?: unknown } = {}) {
    const { cause, ...rest } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.fault = { message, ...rest };
  }
}

/**
 * Reads the `Retry-After` header of a service's response, in seconds or as a date (RFC 9110, section 10.2.3).
 *
 * @returns milliseconds to wait; undefined if the header is missing or malformed
 */
export function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get("retry-after");
  if (header === null) return undefined;
  const waitMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/**
 * Returns a value together with content blocks that present it: images, audio, resources, text for a person. Protocols
 * without content blocks send only the value. `meta` becomes the result's `_meta` over MCP.
 *
 * Over MCP, the value is sent twice: as text in front of the blocks, and as structured content. Some hosts give the
 * model only one of them, and some give it both. `omit` leaves one out: `"text"` if the blocks say it all,
 * `"structured"` if the host should read only the blocks. A tool with an `output` needs the structured part, because
 * clients refuse a result without it: for such a tool, `omit: "structured"` fails the call.
 *
 * @example
 * rich({ bars: 3 }, [{ type: "image", data, mimeType: "image/png" }], undefined, { omit: "text" });
 */
export function rich<Value>(
  value: Value,
  blocks: readonly Block[],
  meta?: Readonly<Record<string, Json>>,
  { omit }: { readonly omit?: Omitted } = {},
): Rich<Value> {
  // Marked with a symbol, so that no plain value can be mistaken for a result of `rich`.
  return Object.defineProperty({ value, blocks, meta, omit }, Symbol.for("trivet.rich"), { value: true });
}
