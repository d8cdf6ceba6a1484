/**
 * Lists the names that a definition's `env` may have (bindings, variables, secrets) with their types, and finds names
 * that the Worker does not have.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { assignment, linesOf, tableName } from "../lib/settings-format.ts";
import { closest } from "../lib/spelling.ts";
import type { Complaint } from "../read/problem.ts";
import { fragmentFor, TYPES } from "./kinds.ts";

/** TypeScript types by the name of the binding, sorted by name. */
export type BindingTypes = ReadonlyMap<string, string>;

/** A binding as wrangler describes it. The kinds are the `type` of wrangler's own `Binding`. */
export interface Binding {
  readonly type: string;
  /** The value of a variable that is not a string. */
  readonly value?: unknown;
}

/** The top level of the settings, or one of their environments. */
interface HasBindings {
  readonly config: { readonly secrets?: { readonly required?: readonly string[] } };
  readonly bindings: Readonly<Record<string, Binding>>;
}

/**
 * Files that declare secrets for wrangler or for the Deploy button: `.dev.vars`, `.dev.vars.staging`, `.env`, and
 * `.dev.vars.example`, the one that is committed.
 */
const SECRETS = /^\.(dev\.vars|env)(\..+)?$/;

/**
 * Collects the names of all environments: it is not a mistake here if only one of them has a name.
 *
 * @param project the folder of the settings file
 */
export function bindingTypesIn(project: string, environments: readonly HasBindings[]): BindingTypes {
  const found = new Map<string, Set<string>>();
  const add = (name: string, type: string) => found.set(name, (found.get(name) ?? new Set()).add(type));
  for (const { config, bindings } of environments) {
    for (const [name, binding] of Object.entries(bindings)) add(name, typeOf(binding));
    for (const name of config.secrets?.required ?? []) add(name, "string");
  }
  for (const file of secretFilesIn(project)) {
    for (const name of Object.keys(parseEnv(readFileSync(join(project, file), "utf8")))) {
      // Such a line replaces the value of a variable, not its type.
      if (!found.has(name)) add(name, "string");
    }
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([name, types]) => [name, [...types].join(" | ")]));
}

export function secretFilesIn(project: string): string[] {
  return readdirSync(project).filter((name) => SECRETS.test(name));
}

function typeOf({ type, value }: Binding): string {
  return type === "json" ? typeOfJson(value) : (TYPES[type] ?? "unknown");
}

function typeOfJson(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `readonly (${[...new Set(value.map(typeOfJson))].join(" | ") || "never"})[]`;
  if (typeof value !== "object") return typeof value;
  const members = Object.entries(value).map(
    ([key, member]) => `readonly ${JSON.stringify(key)}: ${typeOfJson(member)}`,
  );
  return `{ ${members.join("; ")} }`;
}

/**
 * Finds names in a definition's `env` that the Worker does not have.
 *
 * @param bindings undefined if there is no settings file
 * @param file     name of the settings file
 */
export function unknownNames(
  env: readonly string[] = [],
  bindings: BindingTypes | undefined,
  file: string,
): Complaint[] {
  if (bindings === undefined) return [];
  const unknown = env.filter((name) => !bindings.has(name));
  return unknown.map((name) => ({
    problem: `its env has ${name}, and ${file} has no binding or variable of that name`,
    fix: `${spelling(name, bindings)}${addition(name, file)}`,
    member: "env",
  }));
}

const OTHERS = "(other kinds, and secrets: docs/data.md)";

function addition(name: string, file: string): string {
  const part = fragmentFor(name);
  if (part !== undefined) return `add these lines to ${file} ${OTHERS}:\n${linesOf(file, [part])}`;
  // A second [vars] would make the file invalid.
  return `add this line under ${tableName(file, ["vars"])} in ${file} ${OTHERS}:\n${assignment(file, name, "")}`;
}

/** The beginning of a fix, which suggests a similar name; empty if there is none. */
function spelling(name: string, bindings: BindingTypes): string {
  const similar = closest(name, [...bindings.keys()]);
  return similar === undefined ? "" : `write ${similar}, or `;
}
