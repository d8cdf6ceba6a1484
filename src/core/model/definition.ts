/** A tool's definition. Types only; authors get them from `src/tool.ts`. */

import type { Json } from "../lib/json.ts";
import type { Icon, Rich } from "./content.ts";
import type { InferInput, InferOutput, StandardSchema } from "./schema.ts";

/** A definition with its type parameters erased, as the catalogue holds it and `execute` runs it. */
export interface ToolDefinition extends ToolOptions {
  readonly version: string;
  readonly description: string;
  readonly input?: StandardSchema | undefined;
  readonly output?: StandardSchema | null | undefined;
  prepare?(input: never, ctx: never): unknown;
  run(input: never, ctx: never): unknown;
}

export interface CommonOptions {
  readonly requirements?: Requirements | undefined;
  /** Scopes that a principal needs to call it. */
  readonly scopes?: readonly string[] | undefined;
  /** Calls that one principal may make per minute; the Worker needs a rate limiter named after it (`RATE_10`). */
  readonly rate?: number | undefined;
  /**
   * Time limit of a call in milliseconds, not counting the time its caller takes to answer questions. Default: 60,000;
   * for a long tool 900,000, and at most a day.
   */
  readonly timeoutMs?: number | undefined;
  /** Names of the Worker's bindings and variables that appear in `ctx.env`. */
  readonly env?: readonly string[] | undefined;
  /**
   * `"all"`: `ctx.fetch` sends the caller's `tracestate` and `baggage`, which may identify users, to the services that
   * the tool calls. Default: only `traceparent`, which is random.
   */
  readonly trace?: "all" | undefined;
}

/** The parts of a tool's definition that are known without loading it. */
export interface ToolOptions extends CommonOptions {
  readonly title?: string | undefined;
  readonly annotations?: Annotations | undefined;
  /**
   * Whether a keyed call must run only once, at the cost of an atomic claim. Default: true unless read-only. Has no
   * effect in a task.
   */
  readonly once?: boolean | undefined;
  /**
   * Whether to store a keyed call's result (encrypted) for duplicate calls. If `false`, they learn only that it ran.
   * Has no effect in a task, whose result is stored until its caller gets it.
   */
  readonly keep?: boolean | undefined;
  /** Whether callers may attach files. Adds parameters to the tool in MCP's listing. */
  readonly attachments?: boolean | undefined;
  /** Whether clients without a session get one: the result has a handle, which they send back with the next call. */
  readonly session?: boolean | undefined;
  /**
   * Whether a call may outlive its request (docs/tasks.md). `"tasks-only"`: over MCP 2026-07-28, only for clients with
   * the tasks extension.
   */
  readonly long?: boolean | "tasks-only" | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** Listed with the tool, for clients that understand it. */
  readonly meta?: Readonly<Record<string, Json>> | undefined;
  /** Parameters that clients repeat in request headers. Discovery reads them from the schema's `x-mcp-header`. */
  readonly headers?: readonly { readonly header: string; readonly path: readonly string[] }[] | undefined;
  /** Whether only views may call it. Discovery derives this from `visibility`. */
  readonly appOnly?: true | undefined;
}

/** Hints for clients, not guarantees (MCP 2025-11-25, ToolAnnotations). */
export interface Annotations {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
}

/**
 * Values that a tool needs to run, from the call's context or from Worker secrets of the same names. A caller that
 * sends one of them must send all that are not `from: "worker"`: the Worker's secrets do not fill the gaps.
 */
export interface Requirements<Secret extends string = string, Authorization extends string = string> {
  readonly authorization?:
    | readonly {
        readonly id: Authorization;
        readonly oauth2?: { readonly scopes?: readonly string[] | undefined };
        readonly from?: Supplier;
      }[]
    | undefined;
  readonly secrets?: readonly (Secret | { readonly id: Secret; readonly from: Supplier })[] | undefined;
  readonly userId?: boolean | undefined;
}

/** Where a value must come from: `caller` is the call's context, `worker` the Worker's own secrets. */
export type Supplier = "caller" | "worker";

/** A file that the caller attached (docs/files.md). As JSON, it has everything but the contents. */
export interface Attachment {
  readonly fileId: string;
  /** The name that its sender gave it, without folders. */
  readonly name: string;
  /** The media type that its sender declared: `text/csv`. Nothing guarantees that the contents are of this type. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** Of the contents, as 64 hex digits. */
  readonly sha256: string;
  /** Anyone can download the file from this URL, for up to an hour. Meant for a service that the tool calls. */
  readonly url: string;
  /** The contents, streamed from the store. Each call reads them again. Rejects if the file has expired. */
  stream(): Promise<ReadableStream<Uint8Array>>;
  /** The contents, decoded as UTF-8. Like {@link bytes}, only for files that fit in a Worker's 128 MB several times. */
  text(): Promise<string>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** W3C trace context of the caller, for the services that a tool calls. */
export interface Trace {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
  /** A protocol's own trace id (OXP `trace_id`). */
  readonly id?: string | undefined;
}

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/**
 * The Worker's bindings and variables, by name: empty until discovery adds a member for each name in wrangler.toml
 * (`src/generated/env.d.ts`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the generated file adds to it, which a type alias does not allow
export interface Bindings {}

/**
 * The `env` of a definition that declares these names. A name that is not in wrangler.toml has the type `unknown`. If
 * the compiler does not know the names, every binding is optional.
 */
export type Bound<Name extends string> = string extends Name
  ? Readonly<Partial<Bindings>> & { readonly [name: string]: unknown }
  : { readonly [Key in Name]: Key extends keyof Bindings ? Bindings[Key] : unknown };

/** The input type that `run` gets: an empty object if the tool takes no parameters. */
export type RunInput<Input> = Input extends StandardSchema ? InferOutput<Input> : Record<never, never>;

/** What `run` may return: what the output schema accepts, nothing for `null`, or any JSON without a schema. */
export type RunOutput<Output> = [Output] extends [StandardSchema]
  ? InferInput<Output> | Rich<InferInput<Output>>
  : [Output] extends [null]
    ? // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing returns void
      void | Rich<undefined>
    : unknown;
