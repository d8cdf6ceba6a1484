/** A tool as discovery describes it to the protocols, which list it each in their way. Types only. */
import type { Traits } from "./definition.ts";

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
  readonly traits: Traits;
  /** An object schema; `properties` is always present. */
  readonly input: JsonSchema & { readonly properties: { readonly [name: string]: JsonSchema } };
  /** `null`: the tool returns nothing. `{}`: any value. */
  readonly output: JsonSchema | null;
  /** The input as its author wrote it in JSON Schema, for protocols that take more than flat ones. */
  readonly verbatim?: JsonSchema;
  /** Code that checks what the tool's own schema lets pass (build/compile.ts). Absent where that is nothing. */
  readonly check?: string;
}
