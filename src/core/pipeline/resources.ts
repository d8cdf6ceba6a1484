/** Resources: what a client reads by its URI. What one is, how one is found and read. */

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
 * The entry that a URI belongs to. A template does not stand in for an entry that the catalogue hides.
 *
 * @param toolkit whose entries alone are shown; undefined for all
 */
export function findResource(catalog: Catalog, toolkit: string | undefined, uri: string): FoundResource | undefined {
  const found = uri.length > MAX_URI ? undefined : ownerOfUri(catalog.allResources, uri);
  return found && catalog.resources(toolkit).includes(found.entry) ? found : undefined;
}

/** One that is spelled out before one with variables, however either of them escapes its characters. */
function ownerOfUri(entries: readonly ResourceEntry[], uri: string): FoundResource | undefined {
  const spelledOut = entries.filter((entry) => !isTemplate(entry));
  const plain = unescaped(uri);
  const exact =
    spelledOut.find((entry) => entry.uri === uri) ?? spelledOut.find((entry) => unescaped(entry.uri) === plain);
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
    // Every other piece is a variable's name: split keeps what the group caught.
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
    // A broken percent escape names nothing.
    return undefined;
  }
  return values.every(isOneSegment)
    ? Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]))
    : undefined;
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
  return Array.from(uri.matchAll(VARIABLE), ([, name = ""]) => name);
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
