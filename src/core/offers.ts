/** What a toolkit offers beside tools: prompts that a person picks, resources that a client reads. Types only. */
import type { Block, PromptMessage, ResourceContents } from "./content.ts";
import type { Icon, Requirements } from "./definition.ts";

/** One argument, always a string. */
export interface PromptArgument {
  readonly description: string;
  readonly title?: string;
  readonly required?: boolean;
  /** Values that begin a person's input; `args` are the other arguments so far. */
  readonly complete?: (
    begun: string,
    args: Readonly<Record<string, string>>,
  ) => readonly string[] | Promise<readonly string[]>;
}

export type PromptArguments = Readonly<Record<string, PromptArgument>>;

export type GivenArguments<Args extends PromptArguments> = {
  readonly [Name in keyof Args as Args[Name]["required"] extends true ? Name : never]: string;
} & { readonly [Name in keyof Args as Args[Name]["required"] extends true ? never : Name]?: string };

/** A prompt with its types forgotten. */
export interface PromptDefinition {
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly icons?: readonly Icon[];
  readonly arguments?: PromptArguments;
  readonly requirements?: Requirements;
  readonly env?: readonly string[];
  readonly timeoutMs?: number;
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
  readonly traits: Pick<PromptDefinition, "requirements" | "env" | "timeoutMs">;
  readonly load: () => Promise<{ default: PromptDefinition }>;
}

/** What a prompt's `get` may return: a text or blocks of the user, or messages of both. */
export type PromptResult = string | Block | readonly (PromptMessage | Block)[];

/** Text, bytes, contents of one or several URIs, or nothing where there is no such resource. */
export type ResourceResult = string | Uint8Array | ResourceContents | readonly ResourceContents[] | undefined;

/** A resource, or a family of them where its URI has `{variables}`, with its types forgotten. */
export interface ResourceDefinition {
  readonly uri: string;
  readonly description: string;
  readonly name?: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
  readonly requirements?: Requirements;
  readonly env?: readonly string[];
  readonly timeoutMs?: number;
  /** Milliseconds for which a client may keep what it read. Left out, or 0: it reads again each time. */
  readonly ttlMs?: number;
  /** Values that begin a person's input, by variable. */
  readonly complete?: Readonly<
    Record<
      string,
      (begun: string, variables: Readonly<Record<string, string>>) => readonly string[] | Promise<readonly string[]>
    >
  >;
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
  readonly traits: Pick<ResourceDefinition, "requirements" | "env" | "timeoutMs">;
  readonly load: () => Promise<{ default: ResourceDefinition }>;
}
