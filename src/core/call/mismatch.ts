/**
 * Finds members that the listed schema requires and that a result lacks once JSON has dropped what is undefined: some
 * libraries accept undefined for members that they list as required. Checks only types and required members, because
 * the library has checked the rest.
 */
import { isRecord } from "../lib/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the path of a missing member, or of a value of another type; undefined if the value fits. */
export function pathOfMismatch(schema: unknown, value: unknown, path = ""): string | undefined {
  if (schema === false) return path;
  // `true` is also a schema; it accepts everything.
  if (!isRecord(schema)) return undefined;
  const { type, enum: choices, const: only, allOf = [] } = schema;
  if (type !== undefined && ![type].flat().some((name) => isOf(String(name), value))) return path;
  if (Array.isArray(choices) && isPlain(value) && !choices.includes(value)) return path;
  if (isPlain(only) && only !== undefined && only !== value) return path;
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    const paths = alternatives.map((alternative) => pathOfMismatch(alternative, value, path));
    // The path that leads furthest into the value is the most helpful one.
    if (!paths.includes(undefined)) return (paths as string[]).reduce((a, b) => (b.length > a.length ? b : a), path);
  }
  return first(allOf as unknown[], (part) => pathOfMismatch(part, value, path)) ?? pathWithin(schema, value, path);
}

function pathWithin(schema: Schema, value: unknown, path: string): string | undefined {
  const at = (step: string | number) => (path === "" ? String(step) : `${path}.${step}`);
  if (Array.isArray(value)) {
    const { prefixItems = [], items } = schema as { prefixItems?: unknown[]; items?: unknown };
    return first(value, (item, index) => pathOfMismatch(prefixItems[index] ?? items, item, at(index)));
  }
  if (!isRecord(value)) return undefined;
  const {
    required = [],
    properties = {},
    additionalProperties: others,
    patternProperties,
  } = schema as {
    required?: string[];
    properties?: Schema;
    additionalProperties?: unknown;
    patternProperties?: unknown;
  };
  // Patterns are not evaluated, so if there are any, other members are not checked.
  const rest = patternProperties === undefined ? others : undefined;
  const has = (name: string) => Object.hasOwn(value, name) && value[name] !== undefined;
  const missing = required.find((name) => !has(name));
  if (missing !== undefined) return at(missing);
  const partOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : rest);
  return first(Object.keys(value).filter(has), (name) => pathOfMismatch(partOf(name), value[name], at(name)));
}

function isOf(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  return typeof value === (type === "integer" ? "number" : type);
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function first<Item>(items: readonly Item[], find: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
