/** What a tool returns, for listings: nothing, anything, an object, or another value. */
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import type { Described } from "../../core/model/tool-description.ts";

export function outputKind({ output, options }: Pick<Described, "output" | "options">): CatalogEntry["output"] {
  // MCP lists no output schema for a long tool, because a result may also say that it is still working.
  if (options.long) return "any";
  if (output === null) return "none";
  if (Object.keys(output).length === 0) return "any";
  return output.type === "object" ? "object" : "value";
}
