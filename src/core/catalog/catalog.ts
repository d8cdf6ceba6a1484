/** Which tools, prompts and resources there are: finds a tool, and keeps listings once joined. Loads nothing itself. */
import type { ToolReference } from "../model/call.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { Demands, ToolDefinition } from "../model/definition.ts";
import type { PromptEntry, ResourceEntry } from "../model/offers.ts";
import type { Refusal } from "../model/outcome.ts";
import type { Principal } from "../model/principal.ts";
import { lacking } from "../model/principal.ts";

/** The generated module's export. */
export interface CatalogSource {
  /** Hash of all that is listed: changes when a deployment changes the catalogue. */
  readonly revision: string;
  /** Sorted by id, then by version, ascending. May be made when first asked for. */
  readonly entries: readonly CatalogEntry[];
  /** What a call needs of the entries without all of them being made. Left out, it is drawn from them. */
  readonly index?: CatalogIndex;
  /** Sorted by name. */
  readonly prompts: readonly PromptEntry[];
  /** Sorted by URI. */
  readonly resources: readonly ResourceEntry[];
}

export interface CatalogIndex {
  /** Folder names of the entries' toolkits. */
  readonly toolkits: Iterable<string>;
  /** Every scope that some tool, prompt or resource demands, sorted. */
  readonly scopes: readonly string[];
  /** Every version of one tool, ascending, and the same entries each time; none where there is no such tool. */
  versions(reference: ToolReference): readonly CatalogEntry[];
}

export interface Catalog {
  readonly revision: string;
  /** Tells what is visible here from what is to others: "" where all is. A listing's ETag has it. */
  readonly view: string;
  /** Folder names of toolkits. */
  readonly toolkits: ReadonlySet<string>;
  find(reference: ToolReference, toolkit?: string): { entry: CatalogEntry } | { refusal: Refusal };
  /** What the tool's module defines: at once, where it was evaluated before. */
  definition(entry: CatalogEntry): ToolDefinition | Promise<ToolDefinition>;
  /** Every version of every tool, of all toolkits or of one, sorted by id, then by version. */
  all(toolkit: string | undefined): readonly CatalogEntry[];
  /** The latest version of every tool, for protocols that know no versions. */
  latest(toolkit: string | undefined): readonly CatalogEntry[];
  prompts(toolkit: string | undefined): readonly PromptEntry[];
  resources(toolkit: string | undefined): readonly ResourceEntry[];
  /** Also those that are hidden here: whose a URI is does not depend on who asks. */
  readonly allResources: readonly ResourceEntry[];
  /** What a protocol made of the catalogue for a listing, made when it is first asked for. */
  listing<Made>(name: string, toolkit: string | undefined, make: () => Made): Made;
  /** What exists for a principal: the same catalogue for all to whom the same is visible. */
  visibleTo(principal: Principal): Catalog;
  /** Every scope that some tool, prompt or resource of the deployment demands, hidden ones too; sorted. */
  readonly scopes: readonly string[];
}

/** Sets of what is visible that are kept, with their listings: keys of a deployment share few. */
const MAX_VIEWS = 32;

/** @param deployed the deployment's catalogue, if `source` is what one principal sees of it */
export function createCatalog(source: CatalogSource, view = "", deployed?: Catalog): Catalog {
  const index = source.index ?? indexed(source);
  const { scopes, allResources } = deployed ?? { scopes: index.scopes, allResources: source.resources };
  const others = [...source.prompts, ...source.resources];
  const toolkits = new Set([...index.toolkits, ...others.map(({ toolkit }) => toolkit)]);
  // One per protocol and toolkit: bounded by what is deployed.
  const listings = new Map<string, unknown>();
  const definitions = new Map<CatalogEntry, ToolDefinition>();
  const views = new Map<string, Catalog>();
  const within = (toolkit: string) => (entry: { readonly toolkit: string }) => entry.toolkit === toolkit;

  const evaluated = async (entry: CatalogEntry) => {
    const definition = (await entry.load()).default;
    definitions.set(entry, definition);
    return definition;
  };

  return {
    revision: source.revision,
    view,
    scopes,
    toolkits,
    find(reference, toolkit) {
      const versions = index.versions(reference);
      const first = versions[0];
      if (first === undefined || (toolkit !== undefined && first.toolkit !== toolkit)) {
        return { refusal: { reason: "unknown_tool", name: "id" in reference ? reference.id : reference.name } };
      }
      const entry = resolve(versions, reference.version);
      if (entry) return { entry };
      const { id, name } = first;
      return { refusal: { reason: "unknown_version", id, name, version: reference.version as string } };
    },
    definition: (entry) => definitions.get(entry) ?? evaluated(entry),
    all: (toolkit) => (toolkit === undefined ? source.entries : source.entries.filter(within(toolkit))),
    latest(toolkit) {
      const newest = source.entries.filter(({ id }, at, all) => all[at + 1]?.id !== id);
      return toolkit === undefined ? newest : newest.filter(within(toolkit));
    },
    prompts: (toolkit) => (toolkit === undefined ? source.prompts : source.prompts.filter(within(toolkit))),
    resources: (toolkit) => (toolkit === undefined ? source.resources : source.resources.filter(within(toolkit))),
    allResources,
    listing<Made>(name: string, toolkit: string | undefined, make: () => Made): Made {
      const key = `${name}/${toolkit ?? ""}`;
      if (!listings.has(key)) listings.set(key, make());
      return listings.get(key) as Made;
    },
    visibleTo(principal) {
      const key = visibilityOf(principal, scopes);
      if (key === "") return this;
      const known = views.get(key);
      if (known) return known;
      const [oldest] = views.keys();
      if (views.size >= MAX_VIEWS && oldest !== undefined) views.delete(oldest);
      const seen = narrowed(source, principal);
      const visible = createCatalog(seen, `-${hash(namesOf(seen))}`, this);
      views.set(key, visible);
      return visible;
    },
  };
}

function indexed({ entries, prompts, resources }: CatalogSource): CatalogIndex {
  const byId = Map.groupBy(entries, ({ id }) => id);
  const byName = Map.groupBy(entries, ({ name }) => name);
  return {
    toolkits: entries.map(({ toolkit }) => toolkit),
    scopes: [...new Set([...entries, ...prompts, ...resources].flatMap(({ traits }) => traits.scopes ?? []))].sort(),
    versions: (reference) => ("id" in reference ? byId.get(reference.id) : byName.get(reference.name)) ?? [],
  };
}

/** One text for all principals to whom the same is visible; "" where that is everything. */
function visibilityOf({ toolkits, reach }: Principal, declared: readonly string[]): string {
  const hidden = lacking(declared, reach);
  return toolkits === undefined && hidden.length === 0
    ? ""
    : JSON.stringify([toolkits && [...toolkits].sort(), hidden]);
}

/** A toolkit that a principal is not bound to does not exist for it, nor does what it can never use. */
function narrowed(source: CatalogSource, { toolkits, reach }: Principal): CatalogSource {
  const exists = ({ toolkit, traits }: { readonly toolkit: string; readonly traits: Demands }) =>
    (toolkits?.includes(toolkit) ?? true) && lacking(traits.scopes, reach).length === 0;
  return {
    revision: source.revision,
    entries: source.entries.filter(exists),
    prompts: source.prompts.filter(exists),
    resources: source.resources.filter(exists),
  };
}

/** All that is there, by name. Says nothing of what is hidden: whoever has its hash can guess what was hashed. */
function namesOf({ entries, prompts, resources }: CatalogSource): string {
  const tools = entries.map(({ id, version }) => `${id}@${version}`);
  return JSON.stringify([tools, prompts.map(({ name }) => name), resources.map(({ uri }) => uri)]);
}

/** FNV-1a, 32 bits: tells few texts apart; keeps no secret. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return (state >>> 0).toString(16);
}

/**
 * OXP "Tool Version Resolution": `x.y.z` means exactly that, `x` means `x.0.0`, none means the latest.
 *
 * @param versions of one tool, ascending
 */
function resolve(versions: readonly CatalogEntry[], asked: string | undefined): CatalogEntry | undefined {
  if (asked === undefined) return versions[versions.length - 1];
  const exact = exactVersion(asked);
  return versions.find((entry) => entry.version === exact);
}

/** The version that was asked for, in full. Versions are three integers, not text: `01.0.0` is `1.0.0`. */
export function exactVersion(asked: string): string {
  return (asked.includes(".") ? asked : `${asked}.0.0`).replace(/(^|\.)0+(?=\d)/g, "$1");
}
