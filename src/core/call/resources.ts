/** Resources, which clients read by URI: finding and reading them. */

import { isRecord } from "../lib/json.ts";
import type { Caller } from "../model/call.ts";
import type { Outcome } from "../model/outcome.ts";
import type { ResourceEntry, Variables } from "../model/primitives.ts";
import type { Subscribed } from "../ports/change-feed.ts";
import type { Primitive, ResourceCaller, Runtime } from "../ports/runtime.ts";
import type { UriTemplates } from "../ports/uri-templates.ts";
import { missingScopes } from "./authorize.ts";
import { servePrimitive } from "./serve-primitive.ts";
import { decoded, hasVariables, isWellEscaped, moreLiteralFirst, PLAIN_TEMPLATES } from "./uri-template.ts";

/** Whether a resource's URI has variables. */
export function isTemplate({ uri }: ResourceEntry): boolean {
  return hasVariables(uri);
}

/** Whether it is in the listing of resources. For forks that have unlisted ones. */
export function isListed(entry: ResourceEntry): boolean {
  return !isTemplate(entry) && !entry.isUnlisted;
}

/** Longest URI that is looked up. */
const MAX_URI = 2_000;

export interface FoundResource {
  readonly entry: ResourceEntry;
  readonly variables: Variables;
}

/**
 * Finds the entry for a URI, with the values of its variables. Entries that are hidden from the caller count, too: if
 * the URI is theirs, no other entry replaces them.
 *
 * @param toolkit to which the search is limited; undefined for all
 */
export function findResource(
  { catalog, uriTemplates = PLAIN_TEMPLATES }: Pick<Runtime, "catalog" | "uriTemplates">,
  toolkit: string | undefined,
  uri: string,
): FoundResource | undefined {
  const found = uri.length > MAX_URI ? undefined : ownerOfUri(catalog.allResources, uri, uriTemplates);
  return found && catalog.resources(toolkit).includes(found.entry) ? found : undefined;
}

/**
 * Finds the most literal entry that matches, however the URI or the entry escapes its characters. An entry that matches
 * only if escaped delimiters are taken for real ones, or without the query or the fragment, keeps the URI from the
 * others, whose authors see it decoded and the path by itself, but does not get it.
 */
function ownerOfUri(
  entries: readonly ResourceEntry[],
  uri: string,
  { fit: fitUri }: UriTemplates,
): FoundResource | undefined {
  const exact = entries.find((entry) => entry.uri === uri && !isTemplate(entry));
  if (exact) return { entry: exact, variables: {} };
  // A URI with an invalid percent escape names nothing.
  if (!isWellEscaped(uri)) return undefined;
  const readings = [
    ...beginnings(decoded(uri)).map((text) => [text, (read: string) => read] as const),
    ...beginnings(uri).map((text) => [text, decoded] as const),
  ];
  const [owner] = entries
    .flatMap((entry) => {
      const real = fitUri(entry, uri, decoded);
      const [fit] = real ? [real] : readings.flatMap(([text, decode]) => fitUri(entry, text, decode) ?? []);
      return fit ? { ...fit, entry, isReal: fit === real } : [];
    })
    .sort(moreLiteralFirst);
  return owner?.isReal && owner.variables ? { entry: owner.entry, variables: owner.variables } : undefined;
}

/** @returns the URI, what is before its fragment, and its path, without a slash after which nothing comes; each once */
function beginnings(uri: string): string[] {
  return [...new Set([uri, ...uri.split("#", 1), ...uri.split(/\/?[?#]|\/$/, 1)])];
}

/** Reads a resource. Returns an outcome whose value is a list of contents, empty if there is no such resource. */
export function readResource(
  { entry, variables }: FoundResource,
  uri: string,
  caller: Caller,
  runtime: Runtime,
): Promise<Outcome> {
  const read = async (context: never) => (await entry.load()).default.read(variables as never, context);
  const toValue = (value: unknown) => toContents(value, uri, entry.about.mimeType);
  return servePrimitive({ primitive: resourcePrimitive(entry), work: read, toValue }, caller, runtime);
}

/** The primitive as which a resource is authorized, counted and logged. Names need not be unique, so URIs are counted. */
export function resourcePrimitive({ uri, about, options }: ResourceEntry): Primitive {
  return { id: about.name, options, kind: "resource", rateKey: `resource ${uri}` };
}

/**
 * What a caller that wants to follow a resource subscribes to.
 *
 * @returns undefined if its path does not offer the resource, or it may not read it: then the changes must stay hidden
 */
export function subscribable(uri: string, { runtime, principal, toolkit }: ResourceCaller): Subscribed | undefined {
  const found = findResource(runtime, toolkit, uri);
  return found && !missingScopes(resourcePrimitive(found.entry), principal) ? subscribedTo(found, uri) : undefined;
}

/** The subscription to a resource's changes. */
export function subscribedTo({ entry: { toolkit, options } }: FoundResource, uri: string): Subscribed {
  return { uri, toolkit, scopes: options.scopes ?? [] };
}

function toContents(value: unknown, uri: string, mimeType: string | undefined): unknown[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [{ uri, mimeType: mimeType ?? "text/plain", text: value }];
  if (value instanceof Uint8Array) {
    return [{ uri, mimeType: mimeType ?? "application/octet-stream", blob: value.toBase64() }];
  }
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => (isRecord(item) ? { uri, ...(mimeType && { mimeType }), ...item } : item));
}
