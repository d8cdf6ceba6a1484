/** What discovery, doctor and tests know of a feature, without loading its code. Types only. */
import type { CommonOptions } from "../core/model/definition.ts";
import type { SettingsRead } from "../settings-reader.ts";

/** Describes a feature. It stands in `manifest.ts` of the feature's folder, beside `index.ts`. */
export interface Manifest {
  /** The name of its folder. */
  readonly name: string;
  /** Whether a fork uses it, and so bundles it. */
  readonly usedBy: (fork: Fork) => boolean;
  readonly bindings?: Readonly<Record<string, BindingKind>>;
  /** The classes that wrangler.toml names, by that name. A class of the core with this name is replaced. */
  readonly classes?: Readonly<Record<string, ClassSource>>;
  /** An event of the server that the catalogue lists, if the fork has what the event is about. */
  readonly event?: FeatureEvent;
  /** Reads its settings. @param env variables by name; "" counts as unset */
  readonly readSettings?: (env: Readonly<Record<string, unknown>>) => Omit<SettingsRead<unknown>, "settings">;
  /** A module of the fork. If there is one, `index.ts` exports a function that gets its default export. */
  readonly takes?: (fork: Fork) => string | undefined;
}

/** `object` and `workflow` with the name of the class. */
export type BindingKind = "bucket" | "page" | { readonly object: string } | { readonly workflow: string };

export interface ClassSource {
  /** In the feature's folder. */
  readonly file: string;
  /** Its name there, if it is a different one. */
  readonly as?: string;
}

export interface FeatureEvent {
  /** In the feature's folder. */
  readonly file: string;
  /** What the file exports: an entry of the catalogue. */
  readonly name: string;
  readonly usedBy: (fork: Fork) => boolean;
}

/** What discovery has found in a fork, as far as features ask. */
export interface Fork {
  readonly tools: readonly { readonly options: FeatureOptions; readonly visibility?: unknown }[];
  readonly views: readonly unknown[];
  readonly skills: readonly unknown[];
  readonly events: readonly unknown[];
  readonly prompts: readonly { readonly about: { readonly arguments: readonly unknown[] } }[];
  readonly resources: readonly { readonly uri: string; readonly pattern?: unknown }[];
  /** Path of `tools/worker.ts`, if it exists. */
  readonly worker?: string | undefined;
  readonly settings: ForkSettings;
}

export interface FeatureOptions extends CommonOptions {
  readonly long?: unknown;
  readonly attachments?: unknown;
  readonly appOnly?: unknown;
}

/** What the settings file asks for, in any environment: they share one bundle. */
export interface ForkSettings {
  /** The names of the bindings of features that are configured. */
  readonly bound: ReadonlySet<string>;
  /** Whether documents for machines are served: unless `DOCUMENTS` is "false" everywhere. */
  readonly documents: boolean;
  /** Whether each call gets a span: if the runtime makes traces. */
  readonly traces: boolean;
  /** Whether the Worker has a sign-in of its own: if `SIGN_IN` is "true". */
  readonly hasSignIn: boolean;
  /** Whether tokens of other issuers are taken: if `TOKENS` is "true". */
  readonly takesTokens: boolean;
}
