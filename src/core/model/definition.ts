/** A tool's definition and the context it runs in. Types only; authors get them from `src/tool.ts`. */

import type { Json } from "../lib/json.ts";
import type { Change } from "./change.ts";
import type { Icon, Rich } from "./content.ts";
import type { Capability, ClientInfo, Elicited, Fields, Filled, Root } from "./elicitation.ts";
import type { Principal } from "./principal.ts";
import type { Sampled, SamplingRequest } from "./sampling.ts";
import type { InferInput, InferOutput, StandardSchema } from "./schema.ts";
import type { Session } from "./session.ts";

/** A definition with its type parameters erased, as the catalogue holds it and `execute` runs it. */
export interface ToolDefinition extends Traits {
  readonly version: string;
  readonly description: string;
  readonly input?: StandardSchema | undefined;
  readonly output?: StandardSchema | null | undefined;
  prepare?(input: never, ctx: never): unknown;
  run(input: never, ctx: never): unknown;
}

/** Options that tools, prompts and resources share. */
export interface Demands {
  readonly requirements?: Requirements | undefined;
  /** Scopes that a principal needs. */
  readonly scopes?: readonly string[] | undefined;
  /** Calls that one principal may make per minute; the Worker needs a rate limiter named after it (`RATE_10`). */
  readonly rate?: number | undefined;
  /**
   * Time limit of a call in milliseconds, not counting the time its caller takes to answer. Default: 60,000; of a long
   * tool 900,000, and at most a day.
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
export interface Traits extends Demands {
  readonly title?: string | undefined;
  readonly annotations?: Annotations | undefined;
  /**
   * Whether a keyed call must run only once, at the cost of an atomic claim. Default: true unless read-only. Has no
   * meaning in a task.
   */
  readonly once?: boolean | undefined;
  /**
   * Whether to keep a keyed call's result (encrypted) for duplicates. If `false`, they learn only that it ran. Has
   * no meaning in a task, whose result waits for its caller.
   */
  readonly keep?: boolean | undefined;
  /** Whether callers may attach files: adds parameters to MCP's listing. */
  readonly attachments?: boolean | undefined;
  /** Whether clients without a session get one: a handle in the result, which they send back with the next call. */
  readonly session?: boolean | undefined;
  /**
   * Whether a call may outlive its request (docs/tasks.md). `"tasks-only"`: over MCP 2026-07-28, only for clients with
   * the tasks extension.
   */
  readonly long?: boolean | "tasks-only" | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** Listed with the tool, for clients that understand it. */
  readonly meta?: Readonly<Record<string, Json>> | undefined;
  /** Parameters that clients repeat in request headers: the schema's `x-mcp-header`, found by discovery. */
  readonly headers?: readonly { readonly header: string; readonly path: readonly string[] }[] | undefined;
  /** Whether only views may call it: discovery reads that from `visibility`. */
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

/** A file that the caller attached (docs/files.md). JSON has all of it but the contents. */
export interface Attachment {
  readonly fileId: string;
  /** As its sender called it, without folders. */
  readonly name: string;
  /** The media type that its sender declared: `text/csv`. Nothing guarantees that the contents are of this type. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** Of the contents: 64 hex digits. */
  readonly sha256: string;
  /** From which anyone can download it, for up to an hour: for a service that the tool calls. */
  readonly url: string;
  /** The contents, as they come from the store. Each call reads them anew. Rejects if the file has expired. */
  stream(): Promise<ReadableStream<Uint8Array>>;
  /** The contents as text in UTF-8. Like {@link bytes}, for files that fit in a Worker's 128 MB several times. */
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

/** A form for the user: flat fields, some of them required. */
export interface FormQuestion<F extends Fields = Fields, Required extends string = string> {
  readonly message: string;
  readonly fields: F;
  readonly required?: readonly Required[];
}

/** A page for the user to visit, if something must not pass through the client: a payment, a sign-in. */
export interface PageQuestion<Url extends string | MakeUrl = string | MakeUrl> {
  readonly message: string;
  /** A function gets the id of the visit, and must make the same URL of it each time. */
  readonly url: Url;
  /** Whether the user is done there. Called again and again after the user has agreed to open the page. */
  readonly until?: (id: string) => boolean | Promise<boolean>;
}

/**
 * @param id of the visit: cannot be guessed, stays the same when the tool runs again with answers, and no other question
 *           and no other call has it
 */
export type MakeUrl = (id: string) => string | Promise<string>;

/**
 * The Worker's bindings and variables, by name: empty until discovery adds a member for each name in wrangler.toml
 * (`src/generated/env.d.ts`).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the generated file adds to it, which a type alias does not allow
export interface Bindings {}

/**
 * The `env` of a definition that declares these names: a name that is not in wrangler.toml is `unknown`. If the names
 * are not known to the compiler, every binding may be there or not.
 */
export type Bound<Name extends string> = string extends Name
  ? Readonly<Partial<Bindings>> & { readonly [name: string]: unknown }
  : { readonly [Key in Name]: Key extends keyof Bindings ? Bindings[Key] : unknown };

/** The second argument of `run`. */
export interface ToolContext<
  Secret extends string = never,
  Authorization extends string = never,
  UserId extends string | undefined = string | undefined,
  Env extends string = never,
> {
  /** Identifies this call in results and logs. */
  readonly callId: string;
  /**
   * The same for every run of one keyed call, and unique to it; undefined for a call without a key, but never in the
   * run of a task. Pass it on to services that accept an idempotency key: if a Worker dies after the effect, the call
   * runs again, and they can tell.
   */
  readonly idempotencyKey: string | undefined;
  readonly principal: Principal;
  /** The program that calls, as it describes itself. Anyone can claim to be any client, so never grant access by it. */
  readonly client: ClientInfo;
  /** The user on whose behalf the caller calls, if the tool requires one. */
  readonly userId: UserId;
  /** The secrets that the tool declared, and no others. */
  readonly secrets: { readonly [Name in Secret]: string };
  /** The tokens that the tool declared, by authorization id, and no others. */
  readonly authorization: { readonly [Id in Authorization]: string };
  /** The bindings and variables that the tool declared, and no others. */
  readonly env: Bound<Env>;
  /** State shared by the calls of one conversation; undefined if the caller has no session. */
  readonly session: Session | undefined;
  /** The files that the caller attached, if the tool takes any. */
  readonly attachments: readonly Attachment[];
  readonly trace: Trace | undefined;
  /**
   * Fires when the time limit is reached or the caller has gone. In a task, it does not matter whether the caller is
   * there: the signal fires when the task was cancelled, or goes on in another run.
   */
  readonly signal: AbortSignal;
  /** `fetch` that refuses private, loopback and link-local addresses, even after a redirect. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Asks the user to fill in a form or to visit a page. Ask before you act: some callers can only answer with a new
   * call, and then the tool runs again from its start. `key` names the question within the tool. Asking the same key
   * again in one run is a new question, so a tool may ask until it accepts the answer. An answer counts only for the
   * question it was given to: if the message or the fields change, the user is asked again.
   *
   * @throws {CannotAsk} if the caller cannot ask its user; if not caught, the call ends with a refusal that says so
   * @throws {NotAnswered} if the caller was asked during the call and did not answer within ten minutes, or gave three
   *         answers that do not fit; if not caught, the call fails with its message
   */
  elicit<const F extends Fields, const Required extends Extract<keyof F, string> = never>(
    key: string,
    question: FormQuestion<F, Required>,
  ): Promise<Elicited<Filled<F, Required>>>;
  elicit(key: string, question: PageQuestion<string>): Promise<Elicited<Record<never, never>>>;
  /** The `content` has the id that the URL was made from. */
  elicit(key: string, question: PageQuestion<MakeUrl>): Promise<Elicited<{ readonly id: string }>>;
  /** Asks the caller's model to continue a conversation. Works like {@link elicit}. */
  sample(key: string, request: SamplingRequest): Promise<Sampled>;
  /** Asks the caller for the folders that it works in. Works like {@link elicit}. */
  roots(key: string): Promise<readonly Root[]>;
  /** Whether the caller supports this kind of question. */
  canAsk(ability: Capability): boolean;
  /** Notifies subscribed clients that a list or a resource has changed. */
  changed(change: Change): Promise<void>;
  /**
   * Closes the caller's connection while the tool keeps working. Callers that can, reconnect for the result. In a task,
   * there is nothing to close.
   */
  release(): void;
  /** Reports progress to a caller that asked for it. `done` must not decrease. An infinite `total` is dropped. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Logs to the Worker's log, and to a caller that asked for log messages. Not for secrets. Never throws: values that
   * JSON cannot represent, such as NaN or an error, are replaced by a description.
   */
  log(level: LogLevel, data: Json): void;
}

/** What the context of a long tool has besides that of others. */
export interface LongContext<Prepared> {
  /** What `prepare` returned. */
  readonly prepared: Prepared;
  /**
   * A checkpoint: does a part of the work, and keeps its result. If the run is cut short later, by a crash or a
   * deployment, the tool runs again from its start, and steps that were done return what they returned before. A step
   * that was cut short is done again, unless it is marked `once`.
   *
   * @param name  of the step. Steps of the same name are told apart by their order, so a tool must reach them in the
   *              same order each time
   * @param work  returns JSON, or nothing
   */
  step<Value>(name: string, work: () => Value | Promise<Value>, options?: StepOptions): Promise<Value>;
}

export interface StepOptions {
  /** The step must not be done twice: if it is cut short, the task fails, and says that it may have had its effect. */
  readonly once?: boolean;
}

/** The input type that `run` gets: an empty object if the tool takes no parameters. */
export type RunInput<Input> = Input extends StandardSchema ? InferOutput<Input> : Record<never, never>;

/** What `run` may return: what the output schema accepts, nothing for `null`, or any JSON without a schema. */
export type RunOutput<Output> = [Output] extends [StandardSchema]
  ? InferInput<Output> | Rich<InferInput<Output>>
  : [Output] extends [null]
    ? // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing returns void
      void | Rich<undefined>
    : unknown;
