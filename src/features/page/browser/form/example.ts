/** Makes a value like those that a schema describes, to show what a call looks like before its form is filled in. */
import { isRecord } from "../../../../client/lib/json.ts";
import type { JsonSchema } from "../lib/model.ts";
import { formatOf } from "./lib/formats.ts";
import { choicesOf, listOf, numberOf, resolve, typeOf, variantsOf, withoutNull } from "./lib/schema.ts";

/** Deeper schemas would make a longer example than anyone reads. */
const MAX_DEPTH = 4;
/** The most values of an example. */
const MAX_VALUES = 1_000;
const ANY_TEXT = "…";

/**
 * @returns an object with the required members only: their default or example where the schema has one. It need not be
 * valid: patterns, lengths and the like are not looked at
 */
export function exampleOf(schema: JsonSchema): Record<string, unknown> {
  const value = example(schema, { root: schema, left: MAX_VALUES }, 0);
  return isRecord(value) ? value : {};
}

interface Context {
  /** The schema that references point into. */
  readonly root: JsonSchema;
  left: number;
}

function example(unresolved: unknown, context: Context, depth: number): unknown {
  const { root } = context;
  context.left -= 1;
  if (context.left < 0) return ANY_TEXT;
  const schema = resolve(unresolved, root);
  const choices = choicesOf(schema, root);
  const given = [schema.const, schema.default, ...listOf(schema.examples), choices?.[0]?.value];
  const first = given.find((value) => value !== undefined);
  if (first !== undefined) return first;
  const inside = depth < MAX_DEPTH ? (withoutNull(schema, root) ?? variantsOf(schema, root)?.[0]) : undefined;
  if (inside) return example(inside, context, depth + 1);
  switch (typeOf(schema)) {
    case "number":
    case "integer":
      return numberFor(schema);
    case "boolean":
      return true;
    case "array":
      return depth < MAX_DEPTH ? listFor(schema, context, depth) : [];
    case "object":
      return depth < MAX_DEPTH ? objectFor(schema, context, depth) : {};
    default:
      return formatOf(schema.format)?.example ?? ANY_TEXT;
  }
}

/** 1, or the limit that is nearest to it. */
function numberFor(schema: JsonSchema): number {
  const [above, below] = [numberOf(schema.exclusiveMinimum), numberOf(schema.exclusiveMaximum)];
  const least = numberOf(schema.minimum) ?? (above === undefined ? Number.NEGATIVE_INFINITY : above + 1);
  const most = numberOf(schema.maximum) ?? (below === undefined ? Number.POSITIVE_INFINITY : below - 1);
  return Math.max(least, Math.min(1, most));
}

/** Each entry of a tuple; one of any other list that may not be empty. */
function listFor(schema: JsonSchema, context: Context, depth: number): unknown[] {
  // Before draft 2020-12, `items` was the list of a tuple.
  const tuple = listOf(schema.prefixItems ?? schema.items);
  const least = numberOf(schema.minItems) ?? tuple.length;
  const length = Math.min(least, tuple.length || 1);
  return Array.from({ length }, (_, index) => example(tuple[index] ?? schema.items, context, depth + 1));
}

function objectFor(schema: JsonSchema, context: Context, depth: number): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const names = listOf(schema.required).map(String);
  return Object.fromEntries(
    names.map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
      return [name, example(property, context, depth + 1)];
    }),
  );
}
