/** What a definition says about how hosts take its listing. Types only. */

/** A rule of docs/listings.md, which says the host and its source. Discovery refuses a tool that breaks one of these. */
export type RefusedRule = "parameter-name" | "top-level-union" | "tuple" | "array-items";

/** A rule of docs/listings.md that discovery warns of. */
export type WarnedRule = "long-name" | "long-description" | "no-type" | "lookaround";

export type ListingRule = RefusedRule | WarnedRule;

export interface Listing {
  /** Rules that discovery does not apply to this tool, for a server whose hosts take what they forbid. */
  readonly allow?: readonly ListingRule[] | undefined;
}
