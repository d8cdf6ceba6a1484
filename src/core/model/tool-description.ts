/** A tool as discovery describes it; each protocol lists it in its own way. Types only. */
import type { ToolOptions } from "./definition.ts";
import type { ViewOptions, Visibility } from "./primitives.ts";

/** A JSON Schema object: draft 2020-12, flat. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface Described {
  /** `Calculator.Add` */
  readonly id: string;
  /** `Calculator_Add` */
  readonly name: string;
  readonly version: string;
  readonly toolkit: string;
  readonly description: string;
  readonly options: ToolOptions;
  /** An object schema; `properties` is always present. */
  readonly input: JsonSchema & { readonly properties: { readonly [name: string]: JsonSchema } };
  /** `null`: the tool returns nothing. `{}`: any value. */
  readonly output: JsonSchema | null;
  /** The input as its author wrote it, with references. Set if MCP is to list that form. */
  readonly verbatim?: JsonSchema | undefined;
  readonly view?: ViewOptions | undefined;
  /** Who may call it in a host that shows views. Default: the model and views. */
  readonly visibility?: readonly Visibility[] | undefined;
  /** Code that checks the parts of the listed input schema that the tool's own schema does not; absent if none. */
  readonly check?: string;
  /** The same for the output. */
  readonly outputCheck?: string;
}

/** A rule of docs/listings.md, which names its host and source. Discovery refuses a tool that breaks one of these. */
export type RefusedRule = "parameter-name" | "top-level-union" | "tuple" | "array-items";

/** A rule of docs/listings.md that discovery only warns about. */
export type WarnedRule =
  | "long-name"
  | "long-description"
  | "no-type"
  | "lookaround"
  | "exploding-pattern"
  | "choice-of-values"
  | "empty-choice";

/** A rule of docs/listings.md that discovery follows by rewriting the listing, without a message. */
export type RewritingRule = "reference" | "const" | "type-list" | "exclusive-bound" | "names-of-members" | "format";

export type ListingRule = RefusedRule | WarnedRule | RewritingRule;

export interface Listing {
  /** Rules that discovery does not apply to this tool, for a server whose hosts accept what the rules forbid. */
  readonly allow?: readonly ListingRule[] | undefined;
}
