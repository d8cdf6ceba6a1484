/** Tools as `tools/list` shows them, joined from texts that discovery rendered (server/tools, Tool). */
import type { Catalog } from "../../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { StructuredContent } from "../transport/dialect.ts";

/**
 * @param outputs what `structuredContent` may be in the reader's dialect
 * @returns one JSON text a tool
 */
export function toolFragments(
  catalog: Catalog,
  toolkit: string | undefined,
  outputs: StructuredContent,
): readonly string[] {
  return catalog.listing(`mcp-${outputs}`, toolkit, () => catalog.latest(toolkit).map((entry) => tool(entry, outputs)));
}

function tool({ name, json, traits, output }: CatalogEntry, outputs: StructuredContent): string {
  const { title, annotations, icons, meta } = traits;
  const hints = annotations && {
    readOnlyHint: annotations.readOnly,
    destructiveHint: annotations.destructive,
    idempotentHint: annotations.idempotent,
    openWorldHint: annotations.openWorld,
  };
  const head = JSON.stringify({ name, title, icons, _meta: meta }).slice(0, -1);
  const tail = hints ? `,"annotations":${JSON.stringify(hints)}` : "";
  return `${head},"description":${json.description},"inputSchema":${(outputs === "any" && json.modern) || (json.mcp ?? json.input)}${outputSchema(json.output, output, outputs)}${tail}}`;
}

/** A tool without output, or with any, promises nothing. */
function outputSchema(text: string, kind: CatalogEntry["output"], outputs: StructuredContent): string {
  if (kind === "none" || kind === "any") return "";
  if (kind === "object" || outputs === "any") return `,"outputSchema":${text}`;
  return `,"outputSchema":{"type":"object","properties":{"value":${text}},"required":["value"]}`;
}
