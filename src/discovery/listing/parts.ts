/** Walks through a JSON Schema: every schema in it, with the path of the value that it describes. */

import { isRecord } from "../../core/lib/json.ts";
import type { JsonSchema } from "../../core/model/tool-description.ts";

export interface Part {
  readonly schema: JsonSchema;
  /** Names of properties, and `[]` for the items of a list; empty for the whole input. */
  readonly path: readonly string[];
  /** Whether it is all that describes a parameter, a property or an item. A part of a union or condition is not. */
  readonly isValue: boolean;
}

/** Keywords that hold schemas for the same value. */
const SAME = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];
/** Keywords that hold schemas for other values, besides `properties` and `items`. */
const OTHERS = ["$defs", "definitions", "patternProperties", "additionalProperties", "contains", "prefixItems"];

export function* partsOf(schema: JsonSchema, path: readonly string[] = [], isValue = false): Generator<Part> {
  yield { schema, path, isValue };
  for (const [name, property] of members(schema.properties)) yield* partsOf(property, [...path, name], true);
  if (isRecord(schema.items)) yield* partsOf(schema.items, [...path, "[]"], true);
  for (const keyword of SAME) {
    const held = schema[keyword];
    const isOne = isRecord(held) && keyword !== "dependentSchemas";
    for (const [, part] of isOne ? [["", held] as const] : members(held)) yield* partsOf(part, path);
  }
  for (const keyword of OTHERS) {
    const held = schema[keyword];
    const isOne = isRecord(held) && (keyword === "additionalProperties" || keyword === "contains");
    for (const [name, part] of isOne ? [["*", held] as const] : members(held)) yield* partsOf(part, [...path, name]);
  }
}

/** The schemas among the members of a list or an object. Booleans are schemas as well, but break no rule. */
function members(held: unknown): [name: string, schema: JsonSchema][] {
  if (typeof held !== "object" || held === null) return [];
  return Object.entries(held).filter((entry): entry is [string, JsonSchema] => isRecord(entry[1]));
}
