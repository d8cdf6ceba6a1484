/** What a tool's author imports, as `#tool`: define a tool, name a toolkit, fail on purpose. Runs nothing. */

import type {
  ExecutionContext,
  ForwardableEmailMessage,
  MessageBatch,
  ScheduledController,
} from "@cloudflare/workers-types";
import type { Hono, MiddlewareHandler } from "hono";
import type { Json } from "./core/lib/json.ts";
import type { Block, Rich } from "./core/model/content.ts";
import type { Requirements, RunInput, RunOutput, ToolContext, Traits } from "./core/model/definition.ts";
import type {
  GivenArguments,
  OfferContext,
  PromptArguments,
  PromptDefinition,
  PromptResult,
  ResourceDefinition,
  ResourceResult,
} from "./core/model/offers.ts";
import type { Fault } from "./core/model/outcome.ts";
import type { Principal } from "./core/model/principal.ts";
import type { StandardSchema, Validated } from "./core/model/schema.ts";

export type { Json } from "./core/lib/json.ts";
export type { Change } from "./core/model/change.ts";
export type { Block, PromptMessage, ResourceContents, Rich } from "./core/model/content.ts";
export type { Attachment, LogLevel, ToolContext, Trace } from "./core/model/definition.ts";
export type { Capability, Elicited, Fields, Root, Sampled, SamplingRequest } from "./core/model/elicitation.ts";
export type { Principal } from "./core/model/principal.ts";
export type { Session } from "./core/model/session.ts";

/** One version of one tool. `run` is typed by what stands beside it. */
export interface Tool<
  Input extends StandardSchema | undefined,
  Output extends StandardSchema | null | undefined,
  Secret extends string,
  Authorization extends string,
  NeedsUser extends boolean,
  Env extends string,
> extends Omit<Traits, "requirements" | "env" | "headers"> {
  /** What callers over MCP and OpenTool call it, where `Toolkit_Tool` will not do. */
  readonly name?: string;
  /** Three integers: `1.0.0`. Several files may hold several versions of one tool. */
  readonly version: string;
  /** When and how to use the tool, for a model. */
  readonly description: string;
  /** An object schema, each property with a description. Left out: the tool takes no parameters. */
  readonly input?: Input;
  /** What `run` returns. `null`: nothing. Left out: any JSON value, unchecked. */
  readonly output?: Output;
  /** What must be there before the tool runs. */
  readonly requirements?: Requirements<Secret, Authorization> & { readonly userId?: NeedsUser };
  readonly env?: readonly Env[];
  run(
    input: RunInput<Input>,
    ctx: ToolContext<Secret, Authorization, NeedsUser extends true ? string : string | undefined, Env>,
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
>(
  tool: Tool<Input, Output, Secret, Authorization, NeedsUser, Env>,
): Tool<Input, Output, Secret, Authorization, NeedsUser, Env> {
  return tool;
}

/** A prompt of a toolkit; a file `tools/<toolkit>/<name>.prompt.ts` exports it by default. */
export function definePrompt<const Args extends PromptArguments = Record<never, never>>(
  prompt: Omit<PromptDefinition, "arguments" | "get"> & {
    readonly arguments?: Args & PromptArguments;
    get(args: GivenArguments<Args>, ctx: OfferContext): PromptResult | Promise<PromptResult>;
  },
): typeof prompt {
  return prompt;
}

/**
 * A resource of a toolkit, or with `{variables}` in its URI a family of them; a file
 * `tools/<toolkit>/<name>.resource.ts` exports it by default.
 */
export function defineResource<const Uri extends string>(
  resource: Omit<ResourceDefinition, "uri" | "read"> & {
    readonly uri: Uri;
    /** Undefined says that there is no such resource. */
    read(
      variables: { readonly [Name in Variables<Uri>]: string },
      ctx: OfferContext,
    ): ResourceResult | Promise<ResourceResult>;
  },
): typeof resource {
  return resource;
}

type Variables<Uri extends string> = Uri extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Variables<Rest>
  : never;

/**
 * A schema written as JSON Schema (draft 2020-12) instead of with a library: MCP lists it word for word, other
 * protocols with its definitions written out. What comes in is checked by `validate`; where that is absent, by the schema
 * itself, of which `format` checks nothing. What a tool returns is checked by `validate` alone, and
 * for required members that are undefined.
 */
export function jsonSchema<Value = Record<string, unknown>>(
  schema: Readonly<Record<string, unknown>>,
  validate?: (value: unknown) => Validated<Value>,
): StandardSchema<Value> & { readonly schema: typeof schema; readonly checked: boolean } {
  const take = (value: unknown) => ({ value: value as Value });
  return {
    schema,
    checked: validate !== undefined,
    "~standard": { version: 1, vendor: "trivet", validate: validate ?? take },
  };
}

/** What a toolkit says of itself in `tools/<toolkit>/toolkit.ts`. */
export interface Toolkit {
  /** The folder's name in another casing: `SMS` for `sms`. */
  readonly name: string;
}

/** Names a toolkit where PascalCase of its folder's name is not what it is called. */
export function defineToolkit(toolkit: Toolkit): Toolkit {
  return toolkit;
}

/** What `authenticate` adds to Hono's context. */
export interface Authenticated {
  Variables: { principal: Principal };
}

/**
 * What a fork adds to the Worker itself. Whatever is not needed is left out. `Env` has the bindings and variables of
 * wrangler.toml that it uses, as every handler gets them: in routes as `c.env`.
 */
export interface OwnWorker<Env extends object = object, Message = unknown> {
  /**
   * Registers middleware and routes, as Hono has them, before it returns. A request goes through these first: before
   * every protocol, sign-in and 404. What they answer is the answer, on the server's own paths too; what they leave is
   * answered by the server. None of them asks for a credential: that does `authenticate`, for the routes that it is put
   * before. It admits whoever may call tools, and `c.get("principal")` says who that is.
   */
  routes?(app: Hono<{ Bindings: Env }>, given: { readonly authenticate: MiddlewareHandler<Authenticated> }): void;
  /** Runs at the times of `[triggers]` in wrangler.toml. */
  scheduled?(controller: ScheduledController, env: Env, ctx: ExecutionContext): void | Promise<void>;
  /** Takes messages of the queues that wrangler.toml makes the Worker a consumer of. */
  queue?(batch: MessageBatch<Message>, env: Env, ctx: ExecutionContext): void | Promise<void>;
  /** Takes mail that Cloudflare's Email Routing sends to the Worker. */
  email?(message: ForwardableEmailMessage, env: Env, ctx: ExecutionContext): void | Promise<void>;
}

/** Defines middleware, routes and other handlers of the Worker; the file `tools/worker.ts` exports it by default. */
export function defineWorker<Env extends object = object, Message = unknown>(
  worker: OwnWorker<Env, Message>,
): OwnWorker<Env, Message> {
  return worker;
}

/**
 * Thrown by a tool to say no: a failed call with a message for the user and the model. Anything else that is thrown
 * reaches the caller as one fixed sentence, and the log with all details.
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
 * How long a service asks to be left alone, in milliseconds: its `Retry-After` as seconds or as a date (RFC 9110,
 * section 10.2.3). Undefined where it does not say.
 */
export function retryAfterMs(response: Response): number | undefined {
  const said = response.headers.get("retry-after");
  if (said === null) return undefined;
  const wait = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/**
 * A value together with blocks that show it: pictures, sound, resources, text for a person. Protocols without room for
 * blocks send the value. `meta` travels as the result's `_meta` over MCP.
 */
export function rich<Value>(
  value: Value,
  blocks: readonly Block[],
  meta?: Readonly<Record<string, Json>>,
): Rich<Value> {
  // Known by this mark, so that no plain value can be mistaken for it.
  return Object.defineProperty({ value, blocks, meta }, Symbol.for("trivet.rich"), { value: true });
}
