/** What a toolkit offers beside tools: prompts that a person picks, resources that a client reads. Types only. */
import type { Block, PromptMessage, ResourceContents } from "./content.ts";
import type { Demands, Icon, ToolContext } from "./definition.ts";

/** What a prompt's `get` and a resource's `read` get beside what was asked for. */
export type OfferContext = ToolContext<string, string, string | undefined, string>;

/**
 * Values that go on from what a person has begun to type; `others` are the other arguments or variables so far. It can
 * be asked of whoever may get the prompt or read the resource, within the same time limit. If it throws, or returns
 * anything but a list of strings, it suggests nothing.
 */
export type Complete = (
  prefix: string,
  others: Readonly<Record<string, string>>,
  ctx: CompletionContext,
) => readonly string[] | Promise<readonly string[]>;

/** While a person types, nobody can be asked anything. */
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

/** A prompt with its types forgotten. */
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
  /** `Toolkit_Prompt`, or the name that it gives itself. */
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

/** What a prompt's `get` may return: a text or blocks of the user, or messages of both. */
export type PromptResult = string | Block | readonly (PromptMessage | Block)[];

/** Text, bytes, contents of one or several URIs, or nothing where there is no such resource. */
export type ResourceResult = string | Uint8Array | ResourceContents | readonly ResourceContents[] | undefined;

/** A resource, or a family of them where its URI has `{variables}`, with its types forgotten. */
export interface ResourceDefinition extends Demands {
  readonly uri: string;
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  /** Milliseconds for which a client may keep what it read. Left out, or 0: it reads again each time. */
  readonly ttlMs?: number;
  /** By variable. */
  readonly complete?: Readonly<Record<string, Complete>>;
  read(variables: never, ctx: never): unknown;
}

/** A resource as the generated module lists it. */
export interface ResourceEntry {
  /** May hold `{variables}`. */
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
