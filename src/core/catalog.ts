/** Which tools there are: finds one by reference and version, and joins prerendered listings. Loads nothing itself. */
import type { ToolReference } from "./call.ts";
import type { ToolDefinition, Traits } from "./definition.ts";
import type { Refusal } from "./outcome.ts";

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
  /** By listing name, this tool's fragment of it as JSON text; absent where that listing leaves the tool out. */
  readonly listed: Readonly<Record<string, string>>;
}

/** The generated module's export: entries sorted by id, then by version, ascending. */
export interface CatalogSource {
  /** Hash of all that is listed: changes when a deployment changes the catalogue. */
  readonly revision: string;
  readonly entries: readonly CatalogEntry[];
}

export interface Catalog {
  readonly revision: string;
  /** Folder names of toolkits. */
  readonly toolkits: ReadonlySet<string>;
  readonly entries: readonly CatalogEntry[];
  find(reference: ToolReference, toolkit?: string): { entry: CatalogEntry } | { refusal: Refusal };
  /** Fragments of one listing, all toolkits or one, in the catalogue's order. */
  fragments(listing: string, toolkit?: string): string[];
}

export function createCatalog(source: CatalogSource): Catalog {
  const byId = new Map<string, CatalogEntry[]>();
  const byName = new Map<string, CatalogEntry[]>();
  const toolkits = new Set<string>();
  for (const entry of source.entries) {
    const versions = byId.get(entry.id);
    toolkits.add(entry.toolkit);
    if (versions) versions.push(entry);
    else {
      const first = [entry];
      byId.set(entry.id, first);
      byName.set(entry.name, first);
    }
  }

  return {
    revision: source.revision,
    entries: source.entries,
    toolkits,
    find(reference, toolkit) {
      const versions = "id" in reference ? byId.get(reference.id) : byName.get(reference.name);
      if (versions === undefined || (toolkit !== undefined && versions[0]?.toolkit !== toolkit)) {
        const id = "id" in reference ? reference.id : reference.name;
        return { refusal: { reason: "unknown_tool", id, name: id.replace(".", "_") } };
      }
      const entry = resolve(versions, reference.version);
      if (entry) return { entry };
      const { id, name } = versions[0] as CatalogEntry;
      return { refusal: { reason: "unknown_version", id, name, version: reference.version as string } };
    },
    fragments(listing, toolkit) {
      const found: string[] = [];
      for (const entry of source.entries) {
        const fragment = entry.listed[listing];
        if (fragment !== undefined && (toolkit === undefined || entry.toolkit === toolkit)) found.push(fragment);
      }
      return found;
    },
  };
}

/**
 * OXP "Tool Version Resolution": `x.y.z` means exactly that, `x` means `x.0.0`, none means the latest.
 *
 * @param versions of one tool, ascending
 */
function resolve(versions: readonly CatalogEntry[], asked: string | undefined): CatalogEntry | undefined {
  if (asked === undefined) return versions[versions.length - 1];
  const exact = withoutLeadingZeros(asked.includes(".") ? asked : `${asked}.0.0`);
  return versions.find((entry) => entry.version === exact);
}

/** Versions are three integers, not text: `01.0.0` is `1.0.0`. */
function withoutLeadingZeros(version: string): string {
  return version.replace(/(^|\.)0+(?=\d)/g, "$1");
}
