/** Finds what a test names. If it does not exist, says what does. */
import type { Catalog } from "../core/catalog/catalog.ts";
import { readToolId, type ToolReference } from "../core/model/call.ts";
import type { PromptEntry, ViewEntry } from "../core/model/offers.ts";

/** Most names in a message. */
const MAX_NAMES = 30;

/** @throws if there is no such tool or version */
export function findTool(id: string, catalog: Catalog): ToolReference {
  const reference = readToolId(id);
  const found = reference && catalog.find(reference);
  if (found && "entry" in found) return reference;
  const versions = catalog.all(undefined).filter((entry) => entry.id === reference?.id);
  if (versions.length > 0) {
    throw new Error(`There is no ${id}: ${reference?.id} has ${list(versions.map(({ version }) => version))}`);
  }
  const ids = [...new Set(catalog.all(undefined).map((entry) => entry.id))];
  throw new Error(unknown("tool", id, ids));
}

/** @throws if there is no such prompt */
export function findPrompt(name: string, catalog: Catalog): PromptEntry {
  const prompts = catalog.prompts(undefined);
  const found = prompts.find((prompt) => prompt.name === name);
  if (found) return found;
  const names = prompts.map((prompt) => prompt.name);
  throw new Error(unknown("prompt", name, names));
}

/** The error of a test that reads a resource that there is not: names those that there are. */
export function unknownResource(uri: string, catalog: Catalog): Error {
  const uris = catalog.allResources.map((resource) => resource.uri);
  return new Error(unknown("resource", uri, uris));
}

/** @throws if there is no tool of this id with a view */
export function findView(id: string, views: readonly ViewEntry[]): ViewEntry {
  const found = views.find(({ tool }) => tool === id);
  if (found) return found;
  const ids = views.map(({ tool }) => tool);
  throw new Error(unknown("view", id, ids));
}

function unknown(kind: string, name: string, names: readonly string[]): string {
  if (names.length === 0) return `There is no ${kind} ${JSON.stringify(name)}: tools/ has no ${kind}s`;
  const similar = names.find((one) => plain(one) === plain(name));
  const hint = similar ? ` Did you mean ${JSON.stringify(similar)}?` : "";
  return `There is no ${kind} ${JSON.stringify(name)}.${hint} The ${kind}s are ${list(names)}`;
}

/** A name without what is often mistaken: case, dots and dashes, the version. */
function plain(name: string): string {
  return name.toLowerCase().replace(/@.*|[^a-z0-9]/g, "");
}

function list(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
