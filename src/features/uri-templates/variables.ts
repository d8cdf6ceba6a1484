/** The variables in the URI of a resource, as types. Types only. */

/** What `read` gets of a URI: texts, lists of those that end in `*`, and perhaps those that a URI may leave out. */
export type VariablesOf<Uri extends string> = {
  readonly [Name in Texts<Needed<Expression<Uri>>>]: string;
} & {
  readonly [Name in Texts<Omissible<Expression<Uri>>>]?: string;
} & {
  readonly [Name in Lists<Needed<Expression<Uri>> | Omissible<Expression<Uri>>>]: readonly string[];
};

/** What is between the braces: `id`, `+path`, `?q,tag*`. */
type Expression<Uri extends string> = Uri extends `${string}{${infer Inner}}${infer Rest}`
  ? Inner | Expression<Rest>
  : never;
type Omissible<Inner extends string> = Inner extends `${"?" | "&" | "#" | "/" | "."}${infer Names}`
  ? Each<Names>
  : never;
type Needed<Inner extends string> = Inner extends `${"?" | "&" | "#" | "/" | "."}${string}`
  ? never
  : Inner extends `+${infer Name}`
    ? Name
    : Inner;
type Each<Names extends string> = Names extends `${infer First},${infer Rest}` ? First | Each<Rest> : Names;
type Lists<Name extends string> = Name extends `${infer Plain}*` ? Plain : never;
type Texts<Name extends string> = Name extends `${string}*` ? never : Name;
