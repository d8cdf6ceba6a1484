/**
 * Keeps secrets out of samples, which people paste into chats and files: parameters with format "password" (OpenAPI).
 */
import { isRecord } from "../../../../client/lib/json.ts";
import { listOf, target } from "../form/lib/schema.ts";
import type { JsonSchema } from "../lib/model.ts";

/** The most schemas that are looked at for one value. Schemas that refer to each other are counted once. */
const MAX_SCHEMAS = 1_000;
const HIDDEN = "…";

/** @returns the value with "…" in place of each secret; the value itself if there is none */
export function withoutSecrets<T>(value: T, root: JsonSchema): T {
  return hidden(value, [root], root) as T;
}

function hidden(value: unknown, unresolved: readonly unknown[], root: JsonSchema): unknown {
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
  const schemas = allOf(unresolved, root);
  if (schemas.length === 0) return value;
  if (typeof value === "string") return schemas.some(({ format }) => format === "password") ? HIDDEN : value;
  const entries = Object.entries(value);
  const changed = entries.map(
    ([name, member]) => [name, hidden(member, membersOf(schemas, value, name), root)] as const,
  );
  if (changed.every(([, member], index) => member === entries[index]?.[1])) return value;
  return Array.isArray(value) ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}

/** The schemas with all that they are made of: what they refer to, and each of their alternatives. */
function allOf(schemas: readonly unknown[], root: JsonSchema): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const waiting = [...schemas];
  while (waiting.length > 0 && found.size < MAX_SCHEMAS) {
    const schema = waiting.pop();
    if (!isRecord(schema) || found.has(schema)) continue;
    found.add(schema);
    if (typeof schema.$ref === "string") waiting.push(target(schema.$ref, root));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) waiting.push(...listOf(schema[keyword]));
    waiting.push(schema.then, schema.else);
  }
  return [...found];
}

/** What schemas say of a member of an object, or of an entry of a list. */
function membersOf(schemas: readonly JsonSchema[], value: object, name: string): readonly unknown[] {
  if (Array.isArray(value)) {
    const at = Number(name);
    return schemas.flatMap(({ prefixItems, items, additionalItems }) => [
      listOf(prefixItems)[at],
      // Before draft 2020-12, `items` was the list of a tuple.
      Array.isArray(items) ? items[at] : items,
      additionalItems,
    ]);
  }
  return schemas.flatMap(({ properties, patternProperties, additionalProperties }) => [
    isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined,
    // The schemas of all patterns, whether the name fits them or not: some patterns would never end, so none is run.
    ...(isRecord(patternProperties) ? Object.values(patternProperties) : []),
    additionalProperties,
  ]);
}
