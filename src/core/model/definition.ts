/** What a tool is: its definition and the context it runs in. Types only; `src/tool.ts` is where authors meet them. */

import type { Json } from "../lib/json.ts";
import type { Change } from "./change.ts";
import type { Rich } from "./content.ts";
import type { Capability, Elicited, Fields, Filled, Root, Sampled, SamplingRequest } from "./elicitation.ts";
import type { Principal } from "./principal.ts";
import type { InferInput, InferOutput, StandardSchema } from "./schema.ts";
import type { Session } from "./session.ts";

/** A definition with its types forgotten: what the catalogue holds and execute runs. */
export interface ToolDefinition extends Traits {
  readonly version: string;
  readonly description: string;
  readonly input?: StandardSchema | undefined;
  readonly output?: StandardSchema | null | undefined;
  run(input: never, ctx: never): unknown;
}

/** Options that tools, prompts and resources share. */
export interface Demands {
  readonly requirements?: Requirements | undefined;
  /** Scopes that a principal must have been granted to use it. */
  readonly scopes?: readonly string[] | undefined;
  /** Calls a minute that one principal may make of it; the Worker has a rate limiter of that name (`RATE_10`). */
  readonly rate?: number | undefined;
  /** Time limit of a call in milliseconds, without the time its caller takes to answer. 60,000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** Names of the Worker's bindings and variables that it sees as `ctx.env`. */
  readonly env?: readonly string[] | undefined;
  /**
   * Whether `ctx.fetch` sends the caller's `tracestate` and `baggage` too: they may name users, and go to whomever the
   * tool calls. Left out: `traceparent` alone, which is random.
   */
  readonly trace?: "all" | undefined;
}

/** What is known of a tool without loading it. */
export interface Traits extends Demands {
  readonly title?: string | undefined;
  readonly annotations?: Annotations | undefined;
  /** Whether a keyed call must run once, whatever it costs. Left out: unless it says that it is read-only. */
  readonly once?: boolean | undefined;
  /** Whether a keyed call's result is kept (encrypted) for duplicates. `false`: they learn only that the call ran. */
  readonly keep?: boolean | undefined;
  /** Whether callers are told that they may attach files: a parameter in MCP's listing. */
  readonly attachments?: boolean | undefined;
  /** Whether it wants `ctx.session` of clients that keep none: they get a handle with its result, and send it back. */
  readonly session?: boolean | undefined;
  readonly icons?: readonly Icon[] | undefined;
  /** Listed with the tool, for clients that know what it means. */
  readonly meta?: Readonly<Record<string, Json>> | undefined;
  /** Parameters that clients repeat in request headers: the schema's `x-mcp-header`, found by discovery. */
  readonly headers?: readonly { readonly header: string; readonly path: readonly string[] }[] | undefined;
}

/** A picture for user interfaces (MCP, basic/index, Icons). */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** Hints for clients, never promises (MCP 2025-11-25, ToolAnnotations). */
export interface Annotations {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly openWorld?: boolean | undefined;
}

/**
 * What must be there before the tool runs: from the call's context, or from a Worker secret of the same name.
 * A caller that sends one of these must send all that do not say `from: "worker"`: it gets none of the Worker's instead.
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

/** A file that the caller attached (gateway seed, "Attachments"). */
export interface Attachment {
  readonly fileId: string;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
}

/** W3C trace context as it came in, to be handed on. */
export interface Trace {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly baggage?: string | undefined;
  /** A protocol's own trace id (OXP `trace_id`). */
  readonly id?: string | undefined;
}

export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** A form for the user: flat fields, of which `required` must be filled in. */
export interface FormQuestion<F extends Fields = Fields, Required extends string = string> {
  readonly message: string;
  readonly fields: F;
  readonly required?: readonly Required[];
}

/** A page for the user to visit, for what must not pass through the client: a payment, a sign-in. */
export interface PageQuestion {
  readonly message: string;
  readonly url: string;
}

/** What `run` gets beside its input. */
export interface ToolContext<
  Secret extends string = never,
  Authorization extends string = never,
  UserId extends string | undefined = string | undefined,
  Env extends string = never,
> {
  /** Identifies this call in results and logs. */
  readonly callId: string;
  /**
   * The same for every run of one call that has an idempotency key, and for no other: to be handed on to services that
   * take one. A run whose Worker died after its effect is run again, and they can tell.
   */
  readonly idempotencyKey: string | undefined;
  readonly principal: Principal;
  /** The user whom the caller speaks for, where the tool requires one. */
  readonly userId: UserId;
  /** The secrets that the tool declared, and no others. */
  readonly secrets: { readonly [Name in Secret]: string };
  /** The tokens that the tool declared, by authorization id, and no others. */
  readonly authorization: { readonly [Id in Authorization]: string };
  /** The bindings and variables that the tool declared, and no others. */
  readonly env: { readonly [Name in Env]: unknown };
  /** State shared by the calls of one conversation; undefined when the caller keeps none. */
  readonly session: Session | undefined;
  readonly attachments: readonly Attachment[];
  readonly trace: Trace | undefined;
  /** Fires when the time limit is over or the caller has gone. */
  readonly signal: AbortSignal;
  /** `fetch` that refuses private, loopback and link-local addresses, after redirects too. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Asks the user to fill in a form, or to visit a page. Where the caller is asked by another call, the tool is run
   * again from its start with the answer at hand: ask before you act. `key` names the question among the tool's own; a
   * key that is asked again in the same run is another question, so a tool may ask until the answer is acceptable. An
   * answer counts only for the question it was given to: if message or fields have changed, the user is asked again.
   *
   * @throws {CannotAsk} where the caller has no way to ask its user; if not caught, it becomes a clear refusal
   * @throws {NotAnswered} where it was asked within the call, and has not answered within ten minutes, or three times
   *         with what does not fit; if not caught, it fails the call in these words
   */
  elicit<const F extends Fields, const Required extends Extract<keyof F, string> = never>(
    key: string,
    question: FormQuestion<F, Required>,
  ): Promise<Elicited<Filled<F, Required>>>;
  elicit(key: string, question: PageQuestion): Promise<Elicited<Record<never, never>>>;
  /** Asks the caller's model to go on with a conversation. As for {@link elicit}. */
  sample(key: string, request: SamplingRequest): Promise<Sampled>;
  /** Asks the caller for the folders that it works in. As for {@link elicit}. */
  roots(key: string): Promise<readonly Root[]>;
  /** Whether the caller can be asked this. */
  canAsk(ability: Capability): boolean;
  /** Tells clients that listen that what they listed or read before has changed. */
  changed(change: Change): Promise<void>;
  /** Lets the caller's connection go while the tool works on: a caller that can, comes back for the result. */
  release(): void;
  /** Tells a caller that asked how far the call has come. Must not decrease. A total that is not finite is left out. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Tells a caller that asked what is going on, and the Worker's log. Not for secrets. Never throws: where JSON cannot carry
   * a value, such as NaN or an error, words are told in its place.
   */
  log(level: LogLevel, data: Json): void;
}

/** The input type that `run` gets: an empty object where the tool takes no parameters. */
export type RunInput<Input> = Input extends StandardSchema ? InferOutput<Input> : Record<never, never>;

/** What `run` may return: what the output schema accepts; nothing for `null`; any JSON where no schema is given. */
export type RunOutput<Output> = [Output] extends [StandardSchema]
  ? InferInput<Output> | Rich<InferInput<Output>>
  : [Output] extends [null]
    ? // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing returns void
      void | Rich<undefined>
    : unknown;
