/** What discovery, doctor and tests know of a feature, without loading its code. Types only. */
import type { CommonOptions } from "../core/model/definition.ts";
import type { SettingsRead } from "../settings-reader.ts";

/** Plain data, and who uses it. It stands in `manifest.ts` of the feature's folder, beside `index.ts`. */
export interface Manifest {
  /** The name of its folder. */
  readonly name: string;
  /** Whether a fork uses it, and so bundles it. */
  readonly usedBy: (fork: Fork) => boolean;
  /** The bindings that it needs, by name. */
  readonly bindings?: Readonly<Record<string, BindingKind>>;
  /** The classes that wrangler.toml names, by that name. A class of the core with this name is replaced. */
  readonly classes?: Readonly<Record<string, ClassSource>>;
  /** An event of its own that the catalogue lists, if the fork has what it tells of. */
  readonly event?: FeatureEvent;
  /** Reads its settings. @param env variables by name; "" counts as unset */
  readonly readSettings?: (env: Readonly<Record<string, unknown>>) => Omit<SettingsRead<unknown>, "settings">;
  /** The module whose default export the feature is made with: then `index.ts` exports a function of it. */
  readonly takes?: (fork: Fork) => string | undefined;
}

/** `object` and `workflow` with the name of the class. */
export type BindingKind = "bucket" | "page" | { readonly object: string } | { readonly workflow: string };

export interface ClassSource {
  /** In the feature's folder. */
  readonly file: string;
  /** Its name there, if that is another. */
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
  /** The names of the bindings of features that are there. */
  readonly bound: ReadonlySet<string>;
  /** The documents for machines: unless `DOCUMENTS` is "false" everywhere. */
  readonly documents: boolean;
  /** A span for each call: if the runtime makes traces. */
  readonly traces: boolean;
  /** The Worker's own sign-in: if `SIGN_IN` is "true". */
  readonly hasSignIn: boolean;
  /** The check of tokens: if `TOKENS` is "true". */
  readonly takesTokens: boolean;
}
