/** The types of `#test`: what a call is given, and what follows from the definition of its tool or prompt. */
import type { Json } from "../core/lib/json.ts";
import type { PromptMessage, ResourceContents } from "../core/model/content.ts";
import type { Capability, ClientInfo, Question, Root } from "../core/model/elicitation.ts";
import type { ViewOptions } from "../core/model/primitives.ts";
import type { Sampled } from "../core/model/sampling.ts";
import type { InferInput, InferOutput, StandardSchema } from "../core/model/schema.ts";
import type { VariablesOf } from "../features/uri-templates/variables.ts";
import type { Tool } from "../tool.ts";
import type { Result } from "./result.ts";

/** What a call has besides its input. All are optional. */
export interface Options<Secret extends string = string, Authorization extends string = string, Env = unknown> {
  /** Secrets by name. `ctx.secrets` never has those of `.dev.vars`; names in the tool's `env` may. */
  readonly secrets?: Texts<Secret> | undefined;
  /** Tokens by the id of their authorization. */
  readonly authorization?: Texts<Authorization> | undefined;
  readonly userId?: string | undefined;
  /** Bindings and variables that replace those of the same name. `RATE_10` is counted only if it is given here. */
  readonly env?: (Env & { readonly [limiter: `RATE_${number}`]: Pick<RateLimit, "limit"> }) | undefined;
  /** The `session` of an earlier result, to continue it; `null` for a caller without one. Default: a new session. */
  readonly session?: string | null | undefined;
  /** The caller's scopes. Default: all. */
  readonly scopes?: readonly string[] | undefined;
  /** Answers to the questions that the tool asks. A question without an answer fails the test. */
  readonly answers?: Answers | undefined;
  /** The kinds of questions that the caller supports. Default: all. */
  readonly canAsk?: readonly Capability[] | undefined;
  /** The members of `ctx.client` that the tool looks at. Default: one without a name that can do what `canAsk` says. */
  readonly client?: Partial<ClientInfo> | undefined;
  /** Answers the requests that the tool makes. Without it, and for any other request, the test fails. */
  readonly fetch?: FakeFetch | undefined;
  /** The caller cancels the call when it fires. */
  readonly signal?: AbortSignal | undefined;
}

export interface ToolOptions<Secret extends string = string, Authorization extends string = string, Env = unknown>
  extends Options<Secret, Authorization, Env> {
  /** Idempotency key: calls with the same key run once. */
  readonly key?: string | undefined;
  /** Files that are attached. The tool gets them if it says `attachments: true`. */
  readonly attachments?: readonly TestFile[] | undefined;
}

export interface CompletionOptions<Field extends string = string> extends Options {
  /** What the person has typed into the other fields. */
  readonly others?: { readonly [Each in Field]?: string } | undefined;
}

/** A file, or a name and a text. Without a `type`, a text is "text/plain". */
export type TestFile = File | { readonly name: string; readonly type?: string; readonly text: string };

/**
 * Answers by the key of their question, or a function that returns undefined if it has none. If the tool asks with the
 * same key again, the second question has the key `size#2`.
 */
export type Answers = Readonly<Record<string, Answer>> | ((key: string, question: Question) => Answer | undefined);

export type Answer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" }
  /** Answers `ctx.upload`: the file that the user uploads. */
  | { readonly action: "accept"; readonly file: TestFile }
  | Sampled
  | { readonly roots: readonly Root[] };

/** A response, or a value that is sent as JSON. */
type Reply = Response | object | string | number | boolean | null;

/**
 * Replies by address, or a function that returns undefined for a request that it does not expect. An address without a
 * method is for GET; others are written `POST https://api.example.com/items`. A function that throws stands for a
 * connection that breaks.
 */
export type FakeFetch =
  | ((request: Request) => Reply | undefined | Promise<Reply | undefined>)
  | { readonly [address: string]: Reply | ((request: Request) => Reply | Promise<Reply>) };

export interface ViewPage {
  readonly uri: string;
  /** The page, with its scripts, styles and pictures inside. */
  readonly html: string;
  /** As its tool declares it; undefined if the tool does not. */
  readonly csp?: NonNullable<ViewOptions["csp"]>;
  /** Each permission with an empty object: `{ camera: {} }`. */
  readonly permissions?: Readonly<Record<string, object>>;
  readonly prefersBorder?: boolean;
  readonly domain?: string;
}

type AnyObject = Record<never, never>;
/** Texts by name. Allows no member if there are no names. */
type Texts<Name extends string> = [Name] extends [never]
  ? Readonly<Record<string, never>>
  : { readonly [Each in Name]?: string };
type Named<Name extends string> = { readonly [Each in Name]?: unknown };

/** The input that a caller sends: with optional members where the schema has defaults. */
export type InputOf<T> =
  T extends Tool<infer Input, infer _Output, infer _S, infer _A, infer _U, infer _E, infer _L, infer _P, infer _At>
    ? [Input] extends [StandardSchema]
      ? InferInput<Input>
      : AnyObject
    : AnyObject;

/** What a call returns: undefined for `output: null`, and any JSON without an output schema. */
export type ValueOf<T> =
  T extends Tool<infer _Input, infer Output, infer _S, infer _A, infer _U, infer _E, infer _L, infer _P, infer _At>
    ? [Output] extends [StandardSchema]
      ? InferOutput<Output>
      : [Output] extends [null]
        ? undefined
        : Json | undefined
    : unknown;

/** The options of a tool: it gets only what it declares, so only that can be given. */
export type OptionsOf<T> =
  T extends Tool<infer _I, infer _O, infer S, infer A, infer _U, infer E, infer _L, infer _P, infer _At>
    ? ToolOptions<S, A, Named<E>>
    : ToolOptions;

type Rest<Input, Given> = AnyObject extends Input ? [input?: Input, options?: Given] : [input: Input, options?: Given];

export type CallTool<Tools> = <Id extends keyof Tools & string>(
  id: Id,
  ...rest: Rest<InputOf<Tools[Id]>, OptionsOf<Tools[Id]>>
) => Promise<Result<ValueOf<Tools[Id]>>>;

type ArgumentsOf<P> = P extends { get(args: infer Args, ctx: never): unknown } ? Args : AnyObject;

export type GetPrompt<Prompts> = <Name extends keyof Prompts & string>(
  name: Name,
  ...rest: Rest<ArgumentsOf<Prompts[Name]>, Options>
) => Promise<Result<PromptMessage[]>>;

/** The arguments of a prompt, or the variables of a resource's URI. */
type FieldsOf<Of, Prompts> = string &
  (Of extends keyof Prompts ? keyof ArgumentsOf<Prompts[Of]> : Of extends string ? keyof VariablesOf<Of> : never);

/** The type of `complete`: `of` is the name of a prompt, or the URI of a resource. */
export type CompleteField<Prompts, Uri> = <Of extends (keyof Prompts & string) | Uri>(
  of: Of,
  field: FieldsOf<Of, Prompts>,
  prefix: string,
  options?: CompletionOptions<FieldsOf<Of, Prompts>>,
) => Promise<Result<string[]>>;

/** The URIs that a template matches: `notes://{day}` is any text that starts with `notes://`. */
type Matching<Uri> = Uri extends `${infer Start}{${string}}${infer Rest}` ? `${Start}${string}${Matching<Rest>}` : Uri;

export type ReadResource<Uri> = (uri: Matching<Uri>, options?: Options) => Promise<Result<ResourceContents[]>>;

export type ReadView<Id> = (id: Id, options?: Options) => Promise<Result<ViewPage>>;
