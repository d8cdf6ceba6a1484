/** Resources: what a client reads by its URI. What one is, how one is found and read. */

import type { Catalog } from "../catalog/catalog.ts";
import { isRecord } from "../lib/json.ts";
import type { Caller } from "../model/call.ts";
import type { ResourceEntry } from "../model/offers.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Subscribed } from "../ports/change-feed.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";
import { serveOffer } from "./serve-offer.ts";
import {
  apparentSegmentsOf,
  fits,
  hasVariables,
  isWellEscaped,
  moreLiteralFirst,
  parseTemplate,
  segmentsOf,
  valuesIn,
  variableNames,
} from "./uri-template.ts";

export function isTemplate({ uri }: ResourceEntry): boolean {
  return hasVariables(uri);
}

/** Longest URI that is looked up. */
const MAX_URI = 2_000;

export interface FoundResource {
  readonly entry: ResourceEntry;
  readonly variables: Record<string, string>;
}

/**
 * The entry that a URI belongs to, with the values of its variables. Entries that the catalogue hides are looked at
 * as well: no other stands in for them.
 *
 * @param toolkit whose entries alone are shown; undefined for all
 */
export function findResource(catalog: Catalog, toolkit: string | undefined, uri: string): FoundResource | undefined {
  const found = uri.length > MAX_URI ? undefined : ownerOfUri(catalog.allResources, uri);
  return found && catalog.resources(toolkit).includes(found.entry) ? found : undefined;
}

/**
 * The most literal entry that fits, however the URI or the entry escapes its characters. One that fits only if escaped
 * delimiters are taken for real ones keeps the URI from the others, whose authors see it decoded, and does not get it.
 */
function ownerOfUri(entries: readonly ResourceEntry[], uri: string): FoundResource | undefined {
  const exact = entries.find((entry) => entry.uri === uri && !isTemplate(entry));
  if (exact) return { entry: exact, variables: {} };
  // A malformed escape names nothing.
  if (!isWellEscaped(uri)) return undefined;
  const segments = segmentsOf(uri);
  const apparent = apparentSegmentsOf(uri);
  const [owner] = entries
    .map((entry) => ({ entry, template: parseTemplate(entry.uri) }))
    .filter(({ template }) => fits(template, segments) || fits(template, apparent))
    .sort((one, other) => moreLiteralFirst(one.template, other.template));
  if (owner === undefined || !fits(owner.template, segments)) return undefined;
  const variables = valuesIn(owner.template, segments);
  return Object.values(variables).every(isOneSegment) ? { entry: owner.entry, variables } : undefined;
}

/**
 * Whether a variable's value, decoded, is still one segment's: authors make paths and keys of it. A slash in it would
 * be another segment, and "." and ".." are none (RFC 3986, sections 3.3 and 5.2.4); no name has control characters.
 */
export function isOneSegment(value: string): boolean {
  return value !== "." && value !== ".." && beginsSegment(value);
}

/** Whether it can become one by typing on: of "..a", "." and ".." are typed first. */
export function beginsSegment(value: string): boolean {
  return !/[/\\\p{Cc}]/u.test(value);
}

/** The names of a template's variables. */
export function variablesOf({ uri }: ResourceEntry): string[] {
  return variableNames(uri);
}

/** @returns an outcome whose value is a list of contents; an empty one means that there is no such resource */
export function readResource(
  { entry, variables }: FoundResource,
  uri: string,
  caller: Caller,
  runtime: Runtime,
): Promise<Outcome> {
  const read = async (context: never) => (await entry.load()).default.read(variables as never, context);
  const toValue = (value: unknown) => toContents(value, uri, entry.about.mimeType);
  return serveOffer({ offer: resourceOffer(entry), work: read, toValue }, caller, runtime);
}

/** Several resources may have one name: they are counted by their URI. */
export function resourceOffer({ uri, about, traits }: ResourceEntry): Offer {
  return { id: about.name, traits, rateKey: `resource ${uri}` };
}

/** As one hears of it. */
export function subscribedTo({ entry: { toolkit, traits } }: FoundResource, uri: string): Subscribed {
  return { uri, toolkit, scopes: traits.scopes ?? [] };
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
