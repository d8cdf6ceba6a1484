/**
 * The tools that a view can call, with their types. Discovery adds a member for each (src/generated/view-tools.d.ts).
 */

/** Tools by the names that MCP clients see: `Weather_Forecast: { input: { city: string }; output: number }`. */
// biome-ignore lint/suspicious/noEmptyInterface: the generated file adds to it, which a type alias does not allow
export interface ViewTools {}

/** Any name, while discovery has not run yet. */
export type ToolName = [keyof ViewTools] extends [never] ? string : keyof ViewTools;

/** What a call of the tool sends. */
export type InputOf<Name> = Name extends keyof ViewTools
  ? ViewTools[Name] extends { readonly input: infer Input }
    ? Input
    : never
  : Record<string, unknown>;

/** What the tool returns; `undefined` if that is nothing. */
export type OutputOf<Name> = Name extends keyof ViewTools
  ? ViewTools[Name] extends { readonly output: infer Output }
    ? Output
    : never
  : unknown;

/** The input may be left out if the tool needs none. */
export type Given<Name> = Record<never, never> extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>];
