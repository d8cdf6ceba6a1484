/** Finds what a test names, or throws an error that says what there is. */
import type { Catalog } from "../core/catalog/catalog.ts";
import { readToolId } from "../core/catalog/catalog.ts";
import type { ToolReference } from "../core/model/call.ts";
import type { PromptEntry, ViewEntry } from "../core/model/primitives.ts";

/** The most names in a message. */
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
  throw unknown("tool", id, ids);
}

/** @throws if there is no such prompt */
export function findPrompt(name: string, catalog: Catalog): PromptEntry {
  return named("prompt", name, catalog.prompts(undefined), (prompt) => prompt.name);
}

/** @throws if there is no tool of this id with a view */
export function findView(id: string, views: readonly ViewEntry[]): ViewEntry {
  return named("view", id, views, ({ tool }) => tool);
}

function named<Entry>(kind: string, name: string, all: readonly Entry[], nameOf: (entry: Entry) => string): Entry {
  const found = all.find((entry) => nameOf(entry) === name);
  if (found) return found;
  throw unknown(kind, name, all.map(nameOf));
}

/** An error that says what there is. */
export function unknown(kind: string, name: string, names: readonly string[]): Error {
  if (names.length === 0) return new Error(`There is no ${kind} ${JSON.stringify(name)}: tools/ has no ${kind}s`);
  const similar = names.find((one) => plain(one) === plain(name));
  const hint = similar ? ` Did you mean ${JSON.stringify(similar)}?` : "";
  return new Error(`There is no ${kind} ${JSON.stringify(name)}.${hint} The ${kind}s are ${list(names)}`);
}

/** A name without what is often wrong in it: case, dots and dashes, the version. */
function plain(name: string): string {
  return name.toLowerCase().replace(/@.*|[^a-z0-9]/g, "");
}

function list(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
