/** Renders tools for `tools/list` from texts that discovery rendered (server/tools, Tool). */
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { Dialect } from "../transport/exchange.ts";

/** @returns JSON text */
export function renderTool({ name, json, options, output }: CatalogEntry, dialect: Dialect): string {
  const { title, annotations, icons, meta } = options;
  const hints = (title !== undefined || annotations !== undefined) && {
    // The title is also here because directories and clients from before 2025-06-18 look for it here.
    title,
    readOnlyHint: annotations?.readOnly,
    destructiveHint: annotations?.destructive,
    idempotentHint: annotations?.idempotent,
    openWorldHint: annotations?.openWorld,
  };
  const head = JSON.stringify({ name, title, icons, _meta: meta }).slice(0, -1);
  const tail = hints ? `,"annotations":${JSON.stringify(hints)}` : "";
  return `${head},"description":${json.description},"inputSchema":${dialect.inputSchema(json)}${outputSchema(json.output, output, dialect)}${tail}}`;
}

/** Empty for a tool that has no output, or whose output can be anything. */
function outputSchema(text: string, kind: CatalogEntry["output"], { structuredContent }: Dialect): string {
  if (kind === "none" || kind === "any") return "";
  if (kind === "object" || structuredContent === "any") return `,"outputSchema":${text}`;
  return `,"outputSchema":{"type":"object","properties":{"value":${text}},"required":["value"]}`;
}
