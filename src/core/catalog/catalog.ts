/** The catalogue of tools, prompts and resources: finds tools by reference, filters by principal, caches listings. */

import type { ToolReference } from "../model/call.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { CommonOptions, ToolDefinition } from "../model/definition.ts";
import type { Refusal } from "../model/outcome.ts";
import type { EventEntry, PromptEntry, ResourceEntry } from "../model/primitives.ts";
import { lacking, type Principal } from "../model/principal.ts";
import type { InstructionsFor } from "./instructions.ts";

/** Everything that a deployment lists, as the generated module exports it. */
export interface CatalogSource {
  /** Hash of everything that is listed: changes when a deployment changes the catalogue. */
  readonly revision: string;
  /** Sorted by id, then by version, ascending. May be a getter that creates them lazily. */
  readonly entries: readonly CatalogEntry[];
  /** Finds entries without creating all of them. Default: an index built from `entries`. */
  readonly index?: CatalogIndex;
  /** Sorted by name. */
  readonly prompts: readonly PromptEntry[];
  /** Sorted by URI. */
  readonly resources: readonly ResourceEntry[];
  /** Sorted by name; absent if there are none. */
  readonly events?: readonly EventEntry[];
  /** What the server tells models about itself; absent if nothing. */
  readonly instructions?: InstructionsFor;
}

/** The lookups that a call needs. */
export interface CatalogIndex {
  /** Folder names. */
  readonly toolkits: Iterable<string>;
  /** Every scope that some tool, prompt or resource demands, sorted. */
  readonly scopes: readonly string[];
  /** Every version of one tool, ascending; empty if there is no such tool. Returns the same objects each time. */
  versions(reference: ToolReference): readonly CatalogEntry[];
}

/** The catalogue, or the part of it that one principal can see. */
export interface Catalog {
  readonly revision: string;
  /** Identifies what is visible, for the ETags of listings; "" if everything is. */
  readonly view: string;
  readonly toolkits: ReadonlySet<string>;
  find(reference: ToolReference, toolkit?: string): { entry: CatalogEntry } | { refusal: Refusal };
  /** The tool's definition; a promise only if its module has not been evaluated yet. */
  definition(entry: CatalogEntry): ToolDefinition | Promise<ToolDefinition>;
  /** Every version of every tool, of all toolkits or of one, sorted by id, then by version. */
  all(toolkit: string | undefined): readonly CatalogEntry[];
  /** The latest version of every tool, for protocols without versions. */
  latest(toolkit: string | undefined): readonly CatalogEntry[];
  prompts(toolkit: string | undefined): readonly PromptEntry[];
  resources(toolkit: string | undefined): readonly ResourceEntry[];
  /** What models are told about the toolkits that are visible, or about one of them. */
  instructions(toolkit: string | undefined): string | undefined;
  /** All resources, including hidden ones: which entry a URI belongs to does not depend on the principal. */
  readonly allResources: readonly ResourceEntry[];
  /** All events, including hidden ones (features/outbox/events/find-event.ts); undefined for none. */
  readonly allEvents?: readonly EventEntry[] | undefined;
  /** Caches a protocol's listing: calls `make` the first time. */
  listing<Made>(name: string, toolkit: string | undefined, make: () => Made): Made;
  /** Called when a listing of a view is cached, with its characters and bytes. Undefined for the whole catalogue. */
  readonly onListed?: ((size: number) => void) | undefined;
  /** The part that a principal can see. Principals who see the same share one object. */
  visibleTo(principal: Principal): Catalog;
  /** Every scope that a tool, prompt or resource of the deployment demands, including hidden ones; sorted. */
  readonly scopes: readonly string[];
}

/** Most views that are cached with their listings. A deployment's API keys usually share a few. */
const MAX_VIEWS = 32;
/** The oldest views are dropped if the cached listings of all views together have more characters and bytes. */
const MAX_LISTED = 16_000_000;

/**
 * Creates the catalogue of a generated module, or the part of it that some principals can see.
 *
 * @param deployed the deployment's whole catalogue, if `source` is a view
 * @param onListed see {@link Catalog.onListed}
 */
export function createCatalog(
  source: CatalogSource,
  view = "",
  deployed?: Catalog,
  onListed?: Catalog["onListed"],
): Catalog {
  const index = source.index ?? buildIndex(source);
  const { scopes, allResources, allEvents } = deployed ?? {
    scopes: index.scopes,
    allResources: source.resources,
    allEvents: source.events,
  };
  const others = [...source.prompts, ...source.resources];
  const toolkits = new Set([...index.toolkits, ...others.map(({ toolkit }) => toolkit)]);
  // A few per protocol and toolkit, so the size is bounded.
  const listings = new Map<string, unknown>();
  const definitions = new Map<CatalogEntry, ToolDefinition>();
  const views = new Map<string, Catalog>();
  /** Sizes of the cached listings, by key of the view. */
  const listed = new Map<string, number>();
  const dropView = (key: string) => {
    views.delete(key);
    listed.delete(key);
  };
  const noteListed = (key: string, size: number) => {
    // A request may go on with a view that was dropped.
    if (!views.has(key)) return;
    listed.set(key, (listed.get(key) ?? 0) + size);
    for (const oldest of views.keys()) {
      const total = [...listed.values()].reduce((sum, one) => sum + one, 0);
      if (total <= MAX_LISTED || oldest === key) break;
      dropView(oldest);
    }
  };
  const within = (toolkit: string) => (entry: { readonly toolkit: string }) => entry.toolkit === toolkit;

  const evaluated = async (entry: CatalogEntry) => {
    const definition = (await entry.load()).default;
    definitions.set(entry, definition);
    return definition;
  };

  return {
    revision: source.revision,
    view,
    onListed,
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
    instructions: (toolkit) => source.instructions?.(toolkits, toolkit),
    allResources,
    allEvents,
    listing<Made>(name: string, toolkit: string | undefined, make: () => Made): Made {
      const key = `${name}/${toolkit ?? ""}`;
      if (!listings.has(key)) {
        const made = make();
        listings.set(key, made);
        onListed?.(sizeOf(made));
      }
      return listings.get(key) as Made;
    },
    visibleTo(principal) {
      const key = visibilityOf(principal, scopes);
      if (key === "") return this;
      const cached = views.get(key);
      if (cached) return cached;
      const visible = visiblePart(source, principal);
      const onViewListed = (size: number) => noteListed(key, size);
      const catalog = createCatalog(visible, `-${hash(namesOf(visible))}`, this, onViewListed);
      if (views.size === MAX_VIEWS) dropView(views.keys().next().value as string);
      views.set(key, catalog);
      return catalog;
    },
  };
}

/** The characters and bytes of a listing, in whatever form a protocol keeps it. */
function sizeOf(made: unknown): number {
  if (typeof made === "string") return made.length;
  if (ArrayBuffer.isView(made)) return made.byteLength;
  if (typeof made !== "object" || made === null) return 0;
  return Object.values(made).reduce((sum: number, part) => sum + sizeOf(part), 0);
}

function buildIndex({ entries, prompts, resources }: CatalogSource): CatalogIndex {
  const byId = Map.groupBy(entries, ({ id }) => id);
  const byName = Map.groupBy(entries, ({ name }) => name);
  return {
    toolkits: entries.map(({ toolkit }) => toolkit),
    scopes: [...new Set([...entries, ...prompts, ...resources].flatMap(({ options }) => options.scopes ?? []))].sort(),
    versions: (reference) => ("id" in reference ? byId.get(reference.id) : byName.get(reference.name)) ?? [],
  };
}

/** A key that is the same for all principals who see the same; "" if they see everything. */
function visibilityOf({ toolkits, reach }: Principal, declared: readonly string[]): string {
  const hidden = declared.length > 0 ? lacking(declared, reach) : declared;
  if (toolkits === undefined && hidden.length === 0) return "";
  return JSON.stringify([toolkits && [...toolkits].sort(), hidden]);
}

/** Leaves out the toolkits that are not the principal's, and everything whose scopes it cannot obtain. */
function visiblePart(source: CatalogSource, { toolkits, reach }: Principal): CatalogSource {
  const exists = ({ toolkit, options }: { readonly toolkit: string; readonly options: CommonOptions }) =>
    (toolkits?.includes(toolkit) ?? true) && lacking(options.scopes, reach).length === 0;
  return {
    revision: source.revision,
    entries: source.entries.filter(exists),
    prompts: source.prompts.filter(exists),
    resources: source.resources.filter(exists),
    ...(source.instructions && { instructions: source.instructions }),
  };
}

/** Names of everything visible. Must not depend on hidden names: callers get a hash of it and could test guesses. */
function namesOf({ entries, prompts, resources }: CatalogSource): string {
  const tools = entries.map(({ id, version }) => `${id}@${version}`);
  return JSON.stringify([tools, prompts.map(({ name }) => name), resources.map(({ uri }) => uri)]);
}

/** FNV-1a, 32 bits. Good enough to tell a few texts apart; not cryptographic. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return (state >>> 0).toString(16);
}

/** `Toolkit.Tool`, `Toolkit.Tool@1`, `Toolkit.Tool@1.0.0` (OXP 1.0, ToolId). */
const TOOL_ID = /^\w+\.\w+(?:@(?:\d+|\d+\.\d+\.\d+))?$/;

/** Parses a tool id. Returns undefined if the text is not one. */
export function readToolId(text: string): (ToolReference & { readonly id: string }) | undefined {
  if (!TOOL_ID.test(text)) return undefined;
  const at = text.indexOf("@");
  return at < 0 ? { id: text, version: undefined } : { id: text.slice(0, at), version: text.slice(at + 1) };
}

/**
 * Picks a version (OXP 1.0, "Tool Version Resolution"): `x.y.z` is that version, `x` is `x.0.0`, and none is the
 * latest.
 *
 * @param versions of one tool, ascending
 */
function resolve(versions: readonly CatalogEntry[], requested: string | undefined): CatalogEntry | undefined {
  if (requested === undefined) return versions[versions.length - 1];
  const exact = exactVersion(requested);
  return versions.find((entry) => entry.version === exact);
}

/** Completes a requested version and drops leading zeros: `1` and `01.0.0` are `1.0.0`. */
export function exactVersion(requested: string): string {
  return (requested.includes(".") ? requested : `${requested}.0.0`).replace(/(^|\.)0+(?=\d)/g, "$1");
}
