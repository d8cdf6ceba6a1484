/**
 * Finds fields of the settings file that wrangler does not know. wrangler ignores them, and discovery hides what it
 * says about them. Most are misspelled, or are below another `[table]` than their author thinks.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isRecord } from "../../core/lib/json.ts";
import { lineOfSetting, type SettingsText, tableName, topOf } from "../lib/settings-format.ts";
import { closest } from "../lib/spelling.ts";
import type { Complaint } from "../read/problem.ts";

export interface IgnoredField {
  /** Where it is: `["kv_namespaces", "0"]`; empty at the top. */
  readonly path: readonly string[];
  readonly name: string;
  /** The field of this place that was probably meant. */
  readonly meant: string | undefined;
  /** Whether wrangler has such a field at the top. */
  readonly isOfTop: boolean;
}

/** The part that is used of the JSON Schema which wrangler ships for its settings. */
interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

/** @param raw the settings as they are written */
export function ignoredFieldsIn(raw: unknown): IgnoredField[] {
  const path = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "config-schema.json");
  const { definitions }: { definitions: Record<string, Schema> } = JSON.parse(readFileSync(path, "utf8"));
  const top = definitions.RawConfig ?? {};
  const isOfTop = (name: string) => Object.hasOwn(top.properties ?? {}, name);
  const found: IgnoredField[] = [];
  look(raw, [top], []);
  return found;

  /** @param schemas all that may apply to the value */
  function look(value: unknown, schemas: readonly Schema[], path: readonly string[]): void {
    const all = schemas.flatMap(alternatives);
    if (Array.isArray(value)) {
      const items = all.flatMap((schema) => schema.items ?? []);
      for (const [at, item] of value.entries()) look(item, items, [...path, String(at)]);
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) lookAt(name, member, all, path);
    }
  }

  function lookAt(name: string, value: unknown, schemas: readonly Schema[], path: readonly string[]): void {
    const objects = schemas.filter(({ properties, additionalProperties }) => properties ?? additionalProperties);
    const known = objects.flatMap(({ properties = {} }) => (Object.hasOwn(properties, name) ? properties[name] : []));
    const others = objects.map(({ additionalProperties = true }) => additionalProperties);
    const isOpen = objects.length === 0 || others.some((other) => other !== false);
    // A variable may have any name, but a name of one of wrangler's fields is hardly meant as a variable.
    const isInVars = path.at(-1) === "vars" && isOfTop(name);
    if (known.length > 0 || (isOpen && !isInVars)) {
      const theirs = known.length > 0 ? known : others;
      const all = theirs.filter((schema) => typeof schema === "object");
      look(value, all, [...path, name]);
      return;
    }
    const names = objects.flatMap(({ properties = {} }) => Object.keys(properties));
    found.push({ path, name, meant: closest(name, names), isOfTop: isOfTop(name) });
  }

  function alternatives(schema: Schema): Schema[] {
    const { $ref, anyOf = [] } = schema;
    const referred = $ref === undefined ? undefined : definitions[decodeURIComponent($ref.replace(/.*\//, ""))];
    return [schema, ...[...anyOf, ...(referred ? [referred] : [])].flatMap(alternatives)];
  }
}

/** A name in the style of variables. */
const VARIABLE = /^[A-Z][A-Z\d_]*$/;

export function complaintOf({ path, name, meant, isOfTop }: IgnoredField, file: SettingsText): Complaint {
  const line = lineOfSetting(file.name, file.text, [...path, name]);
  const environment = path[0] === "env" ? path.slice(0, 2) : [];
  const table = (of: readonly string[]) => tableIn(file.name, of);
  const place = path.length === 0 ? topOf(file.name) : `in ${table(path)}`;
  if (path.at(-1) === "vars") {
    const fix = `move it ${topOf(file.name)}, or rename it if it is a variable of yours`;
    return { problem: `${name} is ${place}: there it is a variable, not a setting of wrangler's`, fix, line };
  }
  const problem = `${name} is ${place}, where wrangler ignores it`;
  if (VARIABLE.test(name)) {
    return { problem, fix: `if it is a variable, move it to ${table([...environment, "vars"])}`, line };
  }
  if (meant !== undefined) return { problem, fix: `did you mean ${meant}?`, line };
  if (isOfTop) return { problem, fix: `move it ${topOf(file.name)}`, line };
  return { problem, fix: "remove it, or move it to the table that it belongs to", line };
}

/** `[env.staging.vars]`, or `[[kv_namespaces]]` for an entry of a list. */
function tableIn(file: string, path: readonly string[]): string {
  const table = tableName(file, namesIn(path));
  return isEntry(path) && table.startsWith("[") ? `[${table}]` : table;
}

const isEntry = (path: readonly string[]) => /^\d+$/.test(path.at(-1) ?? "");
const namesIn = (path: readonly string[]) => path.filter((part) => !/^\d+$/.test(part));
