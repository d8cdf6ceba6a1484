/**
 * Types of everything but tools: prompts (which a person picks), resources (which a client reads), views (which a host
 * shows) and events (which clients subscribe to). Also the media type of views.
 */
import type { Json } from "../lib/json.ts";
import type { Block, ContentAnnotations, Icon, PromptMessage, ResourceContents } from "./content.ts";
import type { CommonOptions, Requirements } from "./definition.ts";
import type { InferInput, InferOutput, StandardSchema, Validated } from "./schema.ts";
import type { ToolContext } from "./tool-context.ts";

/** The only type of view that MCP Apps defines (2026-01-26, UI Resource Format). */
export const VIEW_TYPE = "text/html;profile=mcp-app";

/** The context of a prompt's `get` and a resource's `read`. */
export type PrimitiveContext<
  Secret extends string = string,
  Authorization extends string = string,
  NeedsUser extends boolean = boolean,
  Env extends string = string,
> = ToolContext<Secret, Authorization, NeedsUser extends true ? string : string | undefined, Env>;

/**
 * Suggests values that start with what a person has typed; `others` has the other arguments or variables that are
 * already filled in. The scopes, rate and time limit of the prompt or resource apply. If it throws, or returns
 * anything but a list of strings, nothing is suggested.
 */
export type Complete<Context = PrimitiveContext> = (
  prefix: string,
  others: Readonly<Record<string, string>>,
  ctx: CompletionContext<Context>,
) => readonly string[] | Promise<readonly string[]>;

/** The context of a completion, which cannot ask questions. */
export type CompletionContext<Context = PrimitiveContext> = Omit<Context, "elicit" | "sample" | "roots" | "canAsk">;

/** One argument of a prompt. Its value is always a string. */
export interface PromptArgument<Context = PrimitiveContext> {
  readonly description: string;
  readonly title?: string;
  readonly required?: boolean;
  readonly complete?: Complete<Context>;
}

export type PromptArguments<Context = PrimitiveContext> = Readonly<Record<string, PromptArgument<Context>>>;

export type GivenArguments<Args extends PromptArguments<never>> = {
  readonly [Name in keyof Args as Args[Name]["required"] extends true ? Name : never]: string;
} & { readonly [Name in keyof Args as Args[Name]["required"] extends true ? never : Name]?: string };

/** A prompt with its type parameters erased. */
export interface PromptDefinition extends CommonOptions {
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  readonly arguments?: PromptArguments<never>;
  get(args: never, ctx: never): unknown;
}

/** The parts of a definition that determine the type of its context. */
interface Declares<Secret extends string, Authorization extends string, NeedsUser extends boolean, Env extends string> {
  readonly requirements?: Requirements<Secret, Authorization> & { readonly userId?: NeedsUser };
  readonly env?: readonly Env[];
}

export type Prompt<
  Args extends PromptArguments<never>,
  Secret extends string,
  Authorization extends string,
  NeedsUser extends boolean,
  Env extends string,
> = Omit<PromptDefinition, "arguments" | "requirements" | "env" | "get"> &
  Declares<Secret, Authorization, NeedsUser, Env> & {
    readonly arguments?: Args & PromptArguments<PrimitiveContext<Secret, Authorization, NeedsUser, Env>>;
    get(
      args: GivenArguments<Args>,
      ctx: PrimitiveContext<Secret, Authorization, NeedsUser, Env>,
    ): PromptResult | Promise<PromptResult>;
  };

/** A prompt as the generated module lists it. */
export interface PromptEntry {
  /** The prompt's own `name`, or `Toolkit_Prompt`. */
  readonly name: string;
  readonly toolkit: string;
  readonly about: Pick<PromptDefinition, "description" | "title" | "icons"> & {
    readonly arguments: readonly ({ readonly name: string } & Omit<PromptArgument, "complete">)[];
  };
  readonly options: CommonOptions;
  readonly load: () => Promise<{ default: PromptDefinition }>;
}

/** What a prompt's `get` may return: text or blocks, which become the user's messages, or messages of either role. */
export type PromptResult = string | Block | readonly (PromptMessage | Block)[];

/** What `read` may return: text, bytes, contents of one or several URIs, or undefined if there is no such resource. */
export type ResourceResult = string | Uint8Array | ResourceContents | readonly ResourceContents[] | undefined;

/** A resource, or a family of resources if its URI has `{variables}`, with its type parameters erased. */
export interface ResourceDefinition extends CommonOptions {
  readonly uri: string;
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  /** Who it is for, how important it is, and when it last changed. */
  readonly annotations?: ContentAnnotations;
  /** Size of the contents in bytes, before any encoding. Only for a resource without variables. */
  readonly size?: number;
  /** `_meta` of the resource in listings. The contents that `read` returns may have a `meta` of their own. */
  readonly meta?: Readonly<Record<string, Json>>;
  /** Milliseconds for which a client may cache the contents. Default: 0, the client reads them each time. */
  readonly ttlMs?: number;
  /** Completions by variable. */
  readonly complete?: Readonly<Record<string, Complete<never>>>;
  read(variables: never, ctx: never): unknown;
}

export type Resource<
  Uri extends string,
  Given,
  Secret extends string,
  Authorization extends string,
  NeedsUser extends boolean,
  Env extends string,
> = Omit<ResourceDefinition, "uri" | "requirements" | "env" | "complete" | "read"> &
  Declares<Secret, Authorization, NeedsUser, Env> & {
    readonly uri: Uri;
    /** Completions by variable. */
    readonly complete?: {
      readonly [Name in keyof Given]?: Complete<PrimitiveContext<Secret, Authorization, NeedsUser, Env>>;
    };
    /** Returns undefined if there is no such resource. */
    read(
      variables: Given,
      ctx: PrimitiveContext<Secret, Authorization, NeedsUser, Env>,
    ): ResourceResult | Promise<ResourceResult>;
  };

/** The values of the variables in a URI, decoded. A list variable has a list; a variable that is left out is absent. */
export type Variables = Readonly<Record<string, string | readonly string[]>>;

/** A URI template with operators, as parsed by discovery (features/uri-templates). */
export interface UriPattern {
  /** The part before the query and the fragment, with a plain `{path}` in place of `{+path}`. */
  readonly path: string;
  /** The operator in the path, and the index of its segment: `*` stands for `{x*}`, and `/*` for `{/x*}`. */
  readonly operator?: readonly [operator: "+" | "*" | "/" | "/*" | ".", at: number];
  /** What the query must have, such as `kind=a`, and the variables that it may have; those of lists end with `*`. */
  readonly query?: { readonly fixed: readonly string[]; readonly names: readonly string[] };
  /** The variable that is the fragment. */
  readonly fragment?: string;
}

/** A resource as the generated module lists it. */
export interface ResourceEntry {
  /** May contain `{variables}`. */
  readonly uri: string;
  /** Set if its variables have operators. */
  readonly pattern?: UriPattern;
  readonly toolkit: string;
  readonly about: Omit<ResourceDefinition, keyof CommonOptions | "uri" | "name" | "ttlMs" | "complete" | "read"> & {
    readonly name: string;
  };
  readonly ttlMs?: number;
  readonly options: CommonOptions;
  /** Set if it can be read but is not in the listing. */
  readonly isUnlisted?: true;
  /** For a skill's main file: what hosts are told about the skill, as JSON text (docs/listings.md). */
  readonly skill?: string;
  readonly load: () => Promise<{ default: ResourceDefinition }>;
}

/** What a tool's view may do, and how it is shown. Hosts may grant less. */
export interface ViewOptions {
  /** Origins that the view may load from: `https://api.example.com`, `https://*.example.com`. Default: none. */
  readonly csp?: {
    /** For `fetch` and WebSockets. */
    readonly connectDomains?: readonly string[];
    /** For scripts, styles, pictures, fonts, audio and video. */
    readonly resourceDomains?: readonly string[];
    /** For frames in the view. */
    readonly frameDomains?: readonly string[];
    /** For the document's base URI. */
    readonly baseUriDomains?: readonly string[];
  };
  /** Browser features that the view asks for. Check that the browser grants one before you use it. */
  readonly permissions?: readonly ("camera" | "microphone" | "geolocation" | "clipboardWrite")[];
  /** Whether the host draws a border around it. Default: the host decides. */
  readonly prefersBorder?: boolean;
  /** A dedicated origin for the view, in the form that the host defines. */
  readonly domain?: string;
}

/** Who may call a tool: the model, or the views of this server. Hosts with views enforce it. */
export type Visibility = "model" | "app";

/** A view as a resource of the generated module. */
export interface ViewEntry extends ResourceEntry {
  /** Id of the tool that it belongs to. Whoever can see the tool can read the view. */
  readonly tool: string;
}

export interface Views {
  readonly entries: readonly ViewEntry[];
  /** What views add to a tool's entry in the listing, by the tool's id. */
  readonly listed: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** How a client gets events: it polls, keeps a stream open, or gets them sent to its URL (SEP-3415, Delivery modes). */
export type DeliveryMode = "poll" | "push" | "webhook";

/** Something that can happen, with the data that its subscribers get (docs/events.md). */
export interface Event<Payload extends StandardSchema, Input extends StandardSchema | undefined> {
  /** What changes, a dot, and what happens to it: `notes.changed`. Names that begin with `task.` are reserved. */
  readonly name: string;
  /** When the event occurs, for a model that decides what to subscribe to. */
  readonly description: string;
  /**
   * An object schema of the event's data. The data should say what has happened, and no more: a client that wants the
   * rest calls a tool.
   */
  readonly payload: Payload;
  /**
   * An object schema of the arguments with which subscribers choose events. Each property needs a description. Default:
   * no arguments.
   */
  readonly input?: Input;
  /** Scopes that a subscriber needs. */
  readonly scopes?: readonly string[];
  /** How clients may get it. Default: in all ways. */
  readonly delivery?: readonly DeliveryMode[];
  /**
   * Whether subscribers with these arguments get an event with these data. By default they do if every argument equals
   * the member of the data with the same name.
   */
  matches?(
    args: Input extends StandardSchema ? InferOutput<Input> : Record<never, never>,
    data: InferOutput<Payload>,
  ): boolean | Promise<boolean>;
}

/** An event with its type parameters erased, as the catalogue holds it. */
export interface EventDefinition extends Omit<Event<StandardSchema, StandardSchema | undefined>, "matches"> {
  matches?(args: never, data: never): boolean | Promise<boolean>;
}

/** An event as the generated module lists it. */
export interface EventEntry {
  /** `notes.changed` */
  readonly name: string;
  /** Folder name of its toolkit; undefined for an event of the server itself. */
  readonly toolkit: string | undefined;
  readonly about: {
    readonly description: string;
    readonly delivery: readonly DeliveryMode[];
    /** JSON Schema of the arguments, as listed. */
    readonly input: Readonly<Record<string, unknown>>;
    /** JSON Schema of the data, as listed. */
    readonly payload: Readonly<Record<string, unknown>>;
  };
  readonly options: CommonOptions;
  readonly load: () => Promise<{ default: EventDefinition }>;
  /** Checks data against the listed payload, if the event's own schema does not (core/catalog/compiled-check.ts). */
  readonly hold?: (validated: Validated<unknown>) => Promise<Validated<unknown>>;
}

/** What a tool's context has in addition in a deployment with an outbox. */
export interface EventContext {
  /**
   * Publishes an event to the caller's own subscribers, and to nobody else's. Resolves as soon as the event is stored:
   * from then on, it is delivered even if the call fails. A caller without a credential has no subscribers, so its
   * events are dropped.
   *
   * @param data    what the event's `payload` accepts
   * @param options `id`: the event's id at its source, 1 to 200 visible ASCII characters. A second event with the same
   *                id is ignored. By default, a keyed call that runs again gives its events the same ids
   * @throws {TypeError} if the data or the id do not fit, or no file in tools/ declares the event
   * @throws {RangeError} if the event has more than 256 KiB
   */
  emit<Payload extends StandardSchema>(
    event: { readonly name: string; readonly payload: Payload },
    data: InferInput<Payload>,
    options?: { readonly id?: string | undefined },
  ): Promise<void>;
}
