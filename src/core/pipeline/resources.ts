/** Resources, which clients read by URI: finding and reading them. */

import type { Catalog } from "../catalog/catalog.ts";
import { isRecord } from "../lib/json.ts";
import type { Caller } from "../model/call.ts";
import type { ResourceEntry } from "../model/offers.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Subscribed } from "../ports/change-feed.ts";
import type { Offer, Runtime } from "../ports/runtime.ts";
import { serveOffer } from "./serve-offer.ts";

/** `{variable}`: one path segment (RFC 6570, level 1). */
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Whether a resource's URI has variables. */
export function isTemplate({ uri }: ResourceEntry): boolean {
  return uri.includes("{");
}

/** Longest URI that is looked up. */
const MAX_URI = 2_000;

export interface FoundResource {
  readonly entry: ResourceEntry;
  readonly variables: Record<string, string>;
}

/**
 * Finds the entry for a URI. If that entry is hidden from the caller, a template that matches, too, does not replace
 * it.
 *
 * @param toolkit to which the search is limited; undefined for all
 */
export function findResource(catalog: Catalog, toolkit: string | undefined, uri: string): FoundResource | undefined {
  const found = uri.length > MAX_URI ? undefined : ownerOfUri(catalog.allResources, uri);
  return found && catalog.resources(toolkit).includes(found.entry) ? found : undefined;
}

/** Prefers an entry with exactly this URI, or with one that differs only in percent-encoding, to a template. */
function ownerOfUri(entries: readonly ResourceEntry[], uri: string): FoundResource | undefined {
  const fixed = entries.filter((entry) => !isTemplate(entry));
  const decoded = unescaped(uri);
  const exact = fixed.find((entry) => entry.uri === uri) ?? fixed.find((entry) => unescaped(entry.uri) === decoded);
  if (exact) return { entry: exact, variables: {} };
  for (const entry of entries) {
    const variables = isTemplate(entry) ? matchTemplate(entry.uri, uri) : undefined;
    if (variables) return { entry, variables };
  }
  return undefined;
}

function unescaped(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

function matchTemplate(template: string, uri: string): Record<string, string> | undefined {
  const names: string[] = [];
  const pattern = template
    .split(VARIABLE)
    // Every other piece is a variable's name, because split keeps the text of capture groups.
    .map((piece, index) => {
      if (index % 2 === 0) return piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      names.push(piece);
      return "([^/?#]+)";
    })
    .join("");
  const match = new RegExp(`^${pattern}$`).exec(uri);
  if (match === null) return undefined;
  let values: string[];
  try {
    values = match.slice(1).map(decodeURIComponent);
  } catch {
    // The URI has an invalid percent escape.
    return undefined;
  }
  return values.every(isOneSegment)
    ? Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]))
    : undefined;
}

/**
 * Whether a variable's decoded value is one path segment, because authors use it in paths and keys. A slash would start
 * another segment, "." and ".." navigate (RFC 3986, sections 3.3 and 5.2.4), and no name has control characters.
 */
export function isOneSegment(value: string): boolean {
  return value !== "." && value !== ".." && beginsSegment(value);
}

/** Whether more typing can make a text one segment: a person who types "..a" types "." and ".." first. */
export function beginsSegment(value: string): boolean {
  return !/[/\\\p{Cc}]/u.test(value);
}

/** The names of a template's variables. */
export function variablesOf({ uri }: ResourceEntry): string[] {
  return Array.from(uri.matchAll(VARIABLE), ([, name = ""]) => name);
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
  return serveOffer({ offer: resourceOffer(entry), work: read, toValue }, caller, runtime);
}

/** The offer as which a resource is authorized, counted and logged. Names need not be unique, so URIs are counted. */
export function resourceOffer({ uri, about, traits }: ResourceEntry): Offer {
  return { id: about.name, traits, rateKey: `resource ${uri}` };
}

/** The subscription to a resource's changes. */
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
