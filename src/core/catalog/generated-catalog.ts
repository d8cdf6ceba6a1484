/**
 * A catalogue as discovery writes it: its tools are one text, of which a call reads its own tool's lines, and a listing
 * all. Every isolate starts by reading what is written, and an engine reads a text many times faster than code that
 * makes the same objects.
 */

import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { ToolDefinition, Traits } from "../model/definition.ts";
import type { CatalogSource } from "./catalog.ts";

export interface GeneratedCatalog extends Pick<CatalogSource, "revision" | "prompts" | "resources"> {
  /** Folders of the tools. */
  readonly toolkits: readonly string[];
  /** Every scope that a tool, a prompt or a resource demands, sorted. */
  readonly scopes: readonly string[];
  /** Names that tools give themselves, with their ids. */
  readonly names: readonly (readonly [name: string, id: string])[];
  /** What evaluates a tool, or some of one toolkit together. */
  readonly modules: readonly (() => Promise<DefinitionModule>)[];
  /** What a line's texts are called in {@link CatalogEntry.json}. */
  readonly texts: readonly string[];
  /**
   * A line for each version of each tool, sorted as {@link CatalogSource.entries}. It begins with a vertical tab; parted
   * by tabs are the tool's id, a {@link Row}, and texts, each empty where the tool has none. JSON texts hold neither
   * character. (A line end would do as well, but bundlers make a template of it, which is read at half the speed.)
   */
  readonly table: string;
}

/** A version of a tool: `modules[module]` evaluates it, as number `place` where that is several. */
export type Row = readonly [
  version: string,
  toolkit: string,
  output: CatalogEntry["output"],
  traits: Traits,
  module: number,
  place: number,
  name?: string,
];

interface DefinitionModule {
  readonly default: ToolDefinition | ToolDefinition[];
}

export function readGeneratedCatalog({
  toolkits,
  scopes,
  names,
  modules,
  texts,
  table,
  ...rest
}: GeneratedCatalog): CatalogSource {
  const ids = new Map(names);
  // By id, and by name. Bounded by what is deployed: what no tool is called is not kept.
  const found = new Map<string, readonly CatalogEntry[]>();
  const named = new Map<string, readonly CatalogEntry[]>();
  let all: readonly CatalogEntry[] | undefined;

  const read = (line: string): CatalogEntry => {
    const [id = "", row = "", ...own] = line.split("\t");
    const [version, toolkit, output, traits, module, place, name = id.replace(".", "_")] = JSON.parse(row) as Row;
    const load = async () => {
      const { default: loaded } = await (modules[module] as GeneratedCatalog["modules"][number])();
      return { default: (Array.isArray(loaded) ? loaded[place] : loaded) as ToolDefinition };
    };
    const json = Object.fromEntries(texts.map((text, at) => [text, own[at] || undefined])) as CatalogEntry["json"];
    return { id, name, version, toolkit, traits, output, load, json };
  };

  const find = (id: string): readonly CatalogEntry[] => {
    const known = found.get(id);
    // What has a tab is no id: it would go on into other cells.
    if (known || id.includes("\t")) return known ?? [];
    const [, ...after] = table.split(`\v${id}\t`);
    const versions = after.map((text) => read(`${id}\t${text.split("\v", 1)[0]}`));
    if (versions.length > 0) found.set(id, versions);
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
        const known = named.get(name);
        if (known) return known;
        const versions = find(ids.get(name) ?? name.replace("_", "."));
        if (versions[0]?.name !== name) return [];
        named.set(name, versions);
        return versions;
      },
    },
  };
}
