/** What the catalogue knows about a tool without evaluating its module. Types only. */
import type { ToolDefinition, ToolOptions } from "./definition.ts";

/** One version of one tool, as the generated module lists it. */
export interface CatalogEntry {
  /** `Calculator.Add` */
  readonly id: string;
  /** `Calculator_Add` */
  readonly name: string;
  readonly version: string;
  /** Folder under `tools/`. */
  readonly toolkit: string;
  readonly options: ToolOptions;
  /** The declared output: nothing, any JSON value, an object, or a value of another type. */
  readonly output: "none" | "any" | "object" | "value";
  /** Imports the tool's module, which evaluates it the first time. */
  readonly load: () => Promise<{ default: ToolDefinition }>;
  /** JSON texts, rendered at build time. The protocols join them into their listings. */
  readonly json: {
    readonly description: string;
    /** Schema of the input: an object whose `properties` is always present. */
    readonly input: string;
    /** Schema of the output; `null` for none, `{}` for any. */
    readonly output: string;
    /** Additional text for the listing of one protocol, by the protocol's name. */
    readonly [listing: string]: string | undefined;
  };
}
