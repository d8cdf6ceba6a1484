/** Makes a value that looks like what a schema describes, to show what a call looks like before its form is filled in. */

import { isRecord } from "../../client/lib/json.ts";
import type { JsonSchema } from "../lib/model.ts";

/** Deeper schemas would make a longer example than anyone reads. */
const MAX_DEPTH = 4;

/** @returns an object with the required members only. It need not be valid: patterns and the like are not looked at */
export function exampleOf(schema: JsonSchema): Record<string, unknown> {
  const value = example(schema, 0);
  return isRecord(value) ? value : {};
}

function example(schema: unknown, depth: number): unknown {
  if (!isRecord(schema)) return null;
  const [first] = [schema.const, schema.default, ...listOf(schema.examples), ...listOf(schema.enum)].filter(
    (value) => value !== undefined,
  );
  if (first !== undefined) return first;
  const [way] = listOf(schema.oneOf ?? schema.anyOf);
  if (way !== undefined && depth < MAX_DEPTH) return example(way, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return TEXTS[String(schema.format)] ?? "…";
    case "number":
    case "integer":
      return Math.max(1, Number(schema.minimum) || 1);
    case "boolean":
      return true;
    case "array":
      return depth < MAX_DEPTH && Number(schema.minItems) > 0 ? [example(schema.items, depth + 1)] : [];
    case "null":
      return null;
    default:
      return objectOf(schema, depth);
  }
}

function objectOf({ properties, required }: Readonly<Record<string, unknown>>, depth: number): unknown {
  if (!isRecord(properties) || depth >= MAX_DEPTH) return {};
  const names = listOf(required).map(String);
  return Object.fromEntries(names.map((name) => [name, example(properties[name], depth + 1)]));
}

/** By format. */
const TEXTS: Readonly<Record<string, string>> = {
  uri: "https://example.com/",
  email: "ada@example.com",
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
};

function listOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}
