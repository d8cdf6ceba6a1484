/**
 * Reads the catalogue that discovery generates. All tools are in one string: a call parses only the lines of its tool,
 * and a listing parses all of them. Every isolate loads the generated module when it starts, and a string literal loads
 * many times faster than code that creates the same objects.
 */

import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition, ToolOptions } from "../model/definition.ts";
import type { CatalogSource } from "./catalog.ts";

export interface GeneratedCatalog
  extends Pick<CatalogSource, "revision" | "prompts" | "resources" | "events" | "instructions"> {
  /** Folder names. */
  readonly toolkits: readonly string[];
  /** Sorted; includes those of prompts, resources and events. */
  readonly scopes: readonly string[];
  /** Tools with a `name` of their own, by that name. */
  readonly names: readonly (readonly [name: string, id: string])[];
  /** Imports of the tools' modules. One module may define several tools of a toolkit. */
  readonly modules: readonly (() => Promise<DefinitionModule>)[];
  /** Names, in {@link CatalogEntry.json}, of the texts at the end of each line. */
  readonly texts: readonly string[];
  /**
   * A line for each version of each tool, sorted like {@link CatalogSource.entries}. It starts with a vertical tab and
   * has cells separated by tabs: the tool's id, a {@link Row}, and texts, each empty if the tool has none. Neither
   * character occurs in JSON text. (Newlines would also work, but bundlers turn a string with newlines into a template
   * literal, which loads at half the speed.)
   */
  readonly table: string;
}

/** One version of a tool. `modules[module]` imports it; `place` is its index there, if the module defines several. */
export type Row = readonly [
  version: string,
  toolkit: string,
  output: CatalogEntry["output"],
  options: ToolOptions,
  module: number,
  place: number,
  name?: string,
];

export interface DefinitionModule {
  readonly default: ToolDefinition | ToolDefinition[];
}

/** Makes a {@link CatalogSource} that parses entries lazily and caches them. */
export function readGeneratedCatalog(generated: GeneratedCatalog): CatalogSource {
  const { toolkits, scopes, names, modules, texts, table, ...rest } = generated;
  const ids = new Map(names);
  // Caches. Only names of existing tools are cached, so the size is bounded.
  const byId = new Map<string, readonly CatalogEntry[]>();
  const byName = new Map<string, readonly CatalogEntry[]>();
  let all: readonly CatalogEntry[] | undefined;

  const read = (line: string): CatalogEntry => {
    const [id = "", row = "", ...own] = line.split("\t");
    const [version, toolkit, output, options, module, place, name = id.replace(".", "_")] = JSON.parse(row) as Row;
    const load = async () => {
      const { default: loaded } = await (modules[module] as GeneratedCatalog["modules"][number])();
      return { default: (Array.isArray(loaded) ? loaded[place] : loaded) as ToolDefinition };
    };
    const json = Object.fromEntries(texts.map((text, at) => [text, own[at] || undefined])) as CatalogEntry["json"];
    return { id, name, version, toolkit, options, output, load, json };
  };

  const find = (id: string): readonly CatalogEntry[] => {
    const cached = byId.get(id);
    // An id with a tab could match further cells of a line.
    if (cached || id.includes("\t")) return cached ?? [];
    const [, ...after] = table.split(`\v${id}\t`);
    const versions = after.map((text) => read(`${id}\t${text.split("\v", 1)[0]}`));
    if (versions.length > 0) byId.set(id, versions);
    return versions;
  };

  return {
    ...rest,
    get entries() {
      all ??= table.split("\v").slice(1).map(read);
      return all;
    },
    index: {
      toolkits,
      scopes,
      versions(reference) {
        if ("id" in reference) return find(reference.id);
        const { name } = reference;
        const cached = byName.get(name);
        if (cached) return cached;
        const versions = find(ids.get(name) ?? name.replace("_", "."));
        if (versions[0]?.name !== name) return [];
        byName.set(name, versions);
        return versions;
      },
    },
  };
}
