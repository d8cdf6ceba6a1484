/**
 * Hides the tools that only views may call (`visibility: ["app"]`) from everyone but hosts that show views: no other
 * host knows that their models must not see them. Only code generated for a fork with such a tool imports this.
 */
import { type Catalog, type CatalogIndex, createCatalog } from "../../core/catalog/catalog.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import type { Runtime } from "../../core/ports/runtime.ts";
import type { Feature } from "../feature.ts";

/** The narrowed catalogue of each whole one, so that all endpoints share its listings. */
const withoutAppTools = new WeakMap<Catalog, Catalog>();
/** The whole runtime of each narrowed one. */
const withAppTools = new WeakMap<Runtime, Runtime>();

export const feature: Feature = {
  forModels(runtime) {
    const catalog = withoutAppTools.get(runtime.catalog) ?? forModels(runtime.catalog);
    withoutAppTools.set(runtime.catalog, catalog);
    const narrowed = { ...runtime, catalog };
    withAppTools.set(narrowed, runtime);
    return narrowed;
  },
  mcp: {
    facts(facts) {
      const runtime = facts.capabilities.has("views") ? withAppTools.get(facts.context.runtime) : undefined;
      return runtime ? { ...facts, context: { ...facts.context, runtime } } : facts;
    },
  },
};

/** Reads no entry before one is needed: this is called when an isolate starts. */
function forModels(whole: Catalog): Catalog {
  let entries: readonly CatalogEntry[] | undefined;
  let byId: Partial<Record<string, CatalogEntry[]>> | undefined;
  const all = () => {
    entries ??= whole.all(undefined).filter(({ options }) => !options.appOnly);
    return entries;
  };
  const index: CatalogIndex = {
    toolkits: whole.toolkits,
    scopes: whole.scopes,
    versions(reference) {
      const found = whole.find({ ...reference, version: undefined });
      if ("refusal" in found) return [];
      byId ??= Object.groupBy(all(), ({ id }) => id);
      return byId[found.entry.id] ?? [];
    },
  };
  const source = {
    revision: whole.revision,
    get entries() {
      return all();
    },
    index,
    prompts: whole.prompts(undefined),
    resources: whole.resources(undefined),
    instructions: (_: unknown, toolkit: string | undefined) => whole.instructions(toolkit),
  };
  return createCatalog(source, whole.view, whole, whole.onListed);
}
