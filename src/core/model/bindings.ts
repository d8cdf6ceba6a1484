/** The Worker's bindings and variables, by name. Types only. */

/** Empty until discovery adds a member for each name in wrangler.toml (`src/generated/env.d.ts`). */
// biome-ignore lint/suspicious/noEmptyInterface: the generated file adds to it, which a type alias does not allow
export interface Bindings {}

/**
 * The `env` of a definition that declares these names: a name that is not in wrangler.toml is `unknown`. If the names
 * are not known to the compiler, every binding may be there or not.
 */
export type Bound<Name extends string> = string extends Name
  ? Readonly<Partial<Bindings>> & { readonly [name: string]: unknown }
  : { readonly [Key in Name]: Key extends keyof Bindings ? Bindings[Key] : unknown };
