/** A tool as the catalogue knows it without evaluating its module. Types only. */
import type { ToolDefinition, Traits } from "./definition.ts";

/** One version of one tool, as the generated module lists it. */
export interface CatalogEntry {
  /** `Calculator.Add` */
  readonly id: string;
  /** `Calculator_Add` */
  readonly name: string;
  readonly version: string;
  /** Folder under `tools/`. */
  readonly toolkit: string;
  readonly traits: Traits;
  /** What the tool promises to return: nothing, any JSON, an object, or a value of another type. */
  readonly output: "none" | "any" | "object" | "value";
  /** Evaluates the tool's module, the first time. */
  readonly load: () => Promise<{ default: ToolDefinition }>;
  /** JSON texts, rendered at build time, that the protocols' listings are joined from. */
  readonly json: {
    readonly description: string;
    /** Schema of the input: an object whose `properties` is always present. */
    readonly input: string;
    /** Schema of the output; `null` for none, `{}` for any. */
    readonly output: string;
    /** What one protocol's listing says in words of its own, by that protocol's name. */
    readonly [listing: string]: string | undefined;
  };
}
