/** Prompts, which a person picks, and resources, which a client reads. Types only. */
import type { Block, PromptMessage, ResourceContents } from "./content.ts";
import type { Demands, Icon, ToolContext } from "./definition.ts";

/** The context of a prompt's `get` and a resource's `read`. */
export type OfferContext<Env extends string = string> = ToolContext<string, string, string | undefined, Env>;

/**
 * Suggests values that start with what a person has typed; `others` are the other arguments or variables so far. The
 * scopes, rate and time limit are those of the prompt or resource. If it throws, or returns anything but a list of
 * strings, nothing is suggested.
 */
export type Complete = (
  prefix: string,
  others: Readonly<Record<string, string>>,
  ctx: CompletionContext,
) => readonly string[] | Promise<readonly string[]>;

/** The context of a completion, which cannot ask questions. */
export type CompletionContext = Omit<OfferContext, "elicit" | "sample" | "roots" | "canAsk">;

/** One argument, always a string. */
export interface PromptArgument {
  readonly description: string;
  readonly title?: string;
  readonly required?: boolean;
  readonly complete?: Complete;
}

export type PromptArguments = Readonly<Record<string, PromptArgument>>;

export type GivenArguments<Args extends PromptArguments> = {
  readonly [Name in keyof Args as Args[Name]["required"] extends true ? Name : never]: string;
} & { readonly [Name in keyof Args as Args[Name]["required"] extends true ? never : Name]?: string };

/** A prompt with its type parameters erased. */
export interface PromptDefinition extends Demands {
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  readonly arguments?: PromptArguments;
  get(args: never, ctx: never): unknown;
}

/** A prompt as the generated module lists it. */
export interface PromptEntry {
  /** The prompt's own `name`, or `Toolkit_Prompt`. */
  readonly name: string;
  readonly toolkit: string;
  readonly about: {
    readonly description: string;
    readonly title?: string;
    readonly icons?: readonly Icon[];
    readonly arguments: readonly {
      readonly name: string;
      readonly description: string;
      readonly title?: string;
      readonly required?: boolean;
    }[];
  };
  readonly traits: Demands;
  readonly load: () => Promise<{ default: PromptDefinition }>;
}

/** What a prompt's `get` may return: text or blocks, which become the user's messages, or messages of either role. */
export type PromptResult = string | Block | readonly (PromptMessage | Block)[];

/** What `read` may return: text, bytes, contents of one or several URIs, or undefined if there is no such resource. */
export type ResourceResult = string | Uint8Array | ResourceContents | readonly ResourceContents[] | undefined;

/** A resource, or a family of resources if its URI has `{variables}`, with its type parameters erased. */
export interface ResourceDefinition extends Demands {
  readonly uri: string;
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  /** Milliseconds for which a client may cache the contents. Default: 0, the client reads them each time. */
  readonly ttlMs?: number;
  /** Completions by variable. */
  readonly complete?: Readonly<Record<string, Complete>>;
  read(variables: never, ctx: never): unknown;
}

/** A resource as the generated module lists it. */
export interface ResourceEntry {
  /** May contain `{variables}`. */
  readonly uri: string;
  readonly toolkit: string;
  readonly about: {
    readonly name: string;
    readonly description: string;
    readonly title?: string;
    readonly mimeType?: string;
    readonly icons?: readonly Icon[];
  };
  readonly ttlMs?: number;
  readonly traits: Demands;
  readonly load: () => Promise<{ default: ResourceDefinition }>;
}
