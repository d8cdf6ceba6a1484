/** Says in words what a schema asks for: "whole number, 1 to 200". */
import { isRecord } from "../../../../../client/lib/json.ts";
import { count } from "../../lib/words.ts";
import { formatOf } from "./formats.ts";
import { choicesOf, type JsonSchema, numberOf, resolve, typeOf, variantsOf, withoutNull } from "./schema.ts";

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ["string", "text"],
  ["number", "number"],
  ["integer", "whole number"],
  ["boolean", "yes or no"],
  ["array", "list"],
  ["object", "group"],
  ["null", "null"],
]);

/** @param schema resolved */
export function words(schema: JsonSchema, root: JsonSchema, steps = 0): string {
  // A list may hold itself.
  if (steps > 3) return "JSON";
  const choices = choicesOf(schema, root);
  if (choices) return choices.length === 1 ? "fixed" : `one of ${choices.length}`;
  const notNull = withoutNull(schema, root);
  if (notNull) return `${words(notNull, root, steps + 1)}, or null`;
  const variants = variantsOf(schema, root);
  if (variants) return `one of ${variants.length} forms`;
  const type = typeOf(schema);
  const name = (type === "string" && formatOf(schema.format)?.words) || (TYPES.get(type) ?? "JSON");
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const limits = [
    range(schema.minLength, schema.maxLength, "character"),
    range(minimum, maximum, ""),
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    exclusiveMaximum !== undefined && `less than ${exclusiveMaximum}`,
    multipleOf !== undefined && `a multiple of ${multipleOf}`,
    range(schema.minItems, schema.maxItems, "entry"),
  ];
  const items = resolve(schema.items, root);
  const values = choicesOf(items, root);
  const of = !isRecord(schema.items)
    ? name
    : values
      ? `any of ${values.length}`
      : `list of ${words(items, root, steps + 1)}`;
  return [type === "array" ? of : name, ...limits].filter(Boolean).join(", ");
}

/** @param unit "": none */
function range(least: unknown, most: unknown, unit: string): string {
  const [min, max] = [numberOf(least), numberOf(most)];
  const inUnits = (limit: number) => (unit ? count(limit, unit) : String(limit));
  if (min !== undefined && max !== undefined) return min === max ? inUnits(min) : `${min} to ${inUnits(max)}`;
  if (max !== undefined) return `at most ${inUnits(max)}`;
  // Every text has at least 0 characters.
  return min !== undefined && (min > 0 || !unit) ? `at least ${inUnits(min)}` : "";
}
