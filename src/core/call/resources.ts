/** Finds and reads resources, which clients address by URI. */

import { isRecord } from "../lib/json.ts";
import type { Caller } from "../model/call.ts";
import type { Outcome } from "../model/outcome.ts";
import type { ResourceEntry, Variables } from "../model/primitives.ts";
import type { Subscribed } from "../ports/change-feed.ts";
import type { Primitive, ResourceCaller, Runtime } from "../ports/runtime.ts";
import type { Decode, Reading, UriTemplates } from "../ports/uri-templates.ts";
import { missingScopes } from "./authorize.ts";
import { servePrimitive } from "./serve-primitive.ts";
import { decoded, hasVariables, isWellEscaped, moreLiteralFirst, PLAIN_TEMPLATES, readingOf } from "./uri-template.ts";

export function isTemplate({ uri }: ResourceEntry): boolean {
  return hasVariables(uri);
}

/** Whether it is in the listing of resources. A fork may have unlisted resources, such as the files of skills. */
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
 * Finds the entry for a URI, with the values of its variables. The search includes entries that are hidden from the
 * caller: if the URI belongs to one of them, no other entry takes its place.
 *
 * @param toolkit limits the search to this toolkit; undefined for all
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
 * Finds the most literal entry that matches, however the URI or the entry escapes its characters. An entry may match
 * only if escaped delimiters are taken for real ones, or if the query or the fragment is dropped. Such an entry does
 * not get the URI, but keeps it from other entries: their authors see the decoded URI, or the path alone, and could
 * mistake it for one of this entry.
 */
function ownerOfUri(
  entries: readonly ResourceEntry[],
  uri: string,
  { matcherOf }: UriTemplates,
): FoundResource | undefined {
  const exact = entries.find((entry) => entry.uri === uri && !isTemplate(entry));
  if (exact) return { entry: exact, variables: {} };
  // A URI with an invalid percent escape does not name a resource.
  if (!isWellEscaped(uri)) return undefined;
  const [asWritten, ...shortened] = beginnings(uri).map((text) => readingOf(text, decoded)) as [Reading, ...Reading[]];
  const readings = [...beginnings(decoded(uri)).map((text) => readingOf(text, asItIs)), ...shortened];
  const [owner] = entries
    .flatMap((entry) => {
      const match = matcherOf(entry);
      const real = match(asWritten);
      const [fit] = real ? [real] : readings.flatMap((reading) => match(reading) ?? []);
      return fit ? { ...fit, entry, isReal: fit === real } : [];
    })
    .sort(moreLiteralFirst);
  return owner?.isReal && owner.variables ? { entry: owner.entry, variables: owner.variables } : undefined;
}

const asItIs: Decode = (text) => text;

/** @returns the URI, its part before the fragment, and its part before the query without a trailing slash; each once */
function beginnings(uri: string): string[] {
  return [...new Set([uri, ...uri.split("#", 1), ...uri.split(/\/?[?#]|\/$/, 1)])];
}

/** Reads a resource. Returns an outcome whose value is a list of contents: see also {@link isMissing}. */
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

/** Whether a read came to an empty list of contents: then there is no such resource. */
export function isMissing(outcome: Outcome): boolean {
  return outcome.kind === "completed" && (outcome.value as unknown[]).length === 0;
}

/** The form in which a resource is authorized, counted and logged. Counts by URI, because names need not be unique. */
export function resourcePrimitive({ uri, about, options }: ResourceEntry): Primitive {
  return { id: about.name, options, kind: "resource", rateKey: `resource ${uri}` };
}

/**
 * The subscription of a caller that wants to follow a resource.
 *
 * @returns undefined if the caller's path does not offer the resource, or the caller may not read it: then it must not
 *          learn of changes
 */
export function subscribable(uri: string, { runtime, principal, toolkit }: ResourceCaller): Subscribed | undefined {
  const found = findResource(runtime, toolkit, uri);
  return found && !missingScopes(resourcePrimitive(found.entry), principal) ? subscribedTo(found, uri) : undefined;
}

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
