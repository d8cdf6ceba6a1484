/** What Gemini accepts in a JSON Schema, and how others are loosened. */
import { isRecord } from "../lib/json.ts";
import type { JsonSchema } from "../oxp/types.ts";
import { type Converted, listed, namesIn } from "./keywords.ts";
import type { SchemaRules } from "./schema.ts";

/**
 * "only the following properties are supported" (API reference, GenerationConfig, `responseJsonSchema`): this is the only
 * list that Google publishes for JSON Schema. Without `oneOf`, "interpreted the same as `anyOf`", and without references.
 */
const KEYWORDS = new Set([
  ...["type", "format", "title", "description", "enum", "items", "minItems", "maxItems", "minimum", "maximum"],
  ...["anyOf", "properties", "additionalProperties", "required"],
]);

/** Of a schema for values of several types, the keywords that are about one of them. */
const KEYWORDS_OF: Readonly<Record<string, readonly string[]>> = {
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "additionalProperties", "required"],
  string: ["format", "enum"],
  number: ["format", "enum", "minimum", "maximum"],
  integer: ["format", "enum", "minimum", "maximum"],
};
const OF_TYPES = ["type", ...new Set(Object.values(KEYWORDS_OF).flat())];

/** Tuples are documented for structured output, but refused in functions (github.com/diegosouzapw/OmniRoute/pull/12540). */
export const GEMINI_RULES: SchemaRules = { keywords: KEYWORDS, tuples: false, change: loosened };

function loosened(given: JsonSchema): Converted {
  const schema: Record<string, unknown> = { ...given };
  const omitted: Record<string, unknown> = {};
  /** Gives a keyword another value, or none, and mentions the old one in the description. */
  const replace = (keyword: string, value?: unknown) => {
    omitted[keyword] = schema[keyword];
    if (value === undefined) delete schema[keyword];
    else schema[keyword] = value;
  };

  if (schema.const !== undefined && schema.enum === undefined) {
    schema.enum = [schema.const];
    delete schema.const;
  }
  if (schema.oneOf !== undefined && schema.anyOf === undefined) {
    schema.anyOf = schema.oneOf;
    delete schema.oneOf;
  }
  // Of all formats of texts, the one that Google's documents agree on (API reference, Schema, `format`).
  if (schema.format !== undefined && schema.format !== "date-time") replace("format");
  // A demand for a property without a schema is a 400: "property is not defined" (github.com/Kilo-Org/kilocode/pull/11955).
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = namesIn(schema.required);
  const known = required.filter((name) => Object.hasOwn(properties, name));
  if (known.length < required.length) replace("required", known);
  return { schema: withTypes(withChoices(schema, replace), replace), omitted };
}

/** "`enum` (for strings and numbers)". Null becomes a type beside them. */
function withChoices(schema: Record<string, unknown>, replace: (keyword: string, value?: unknown) => void) {
  if (schema.enum === undefined) return schema;
  const choices = listed(schema.enum);
  const kept = choices.filter((choice) => choice !== null);
  const kinds = new Set(kept.map((choice) => typeof choice));
  const [kind] = kinds;
  if (kinds.size !== 1 || (kind !== "string" && kind !== "number")) {
    replace("enum");
    return schema;
  }
  const [type = kind] = [schema.type].flat().filter((one) => one !== "null");
  if (kept.length === choices.length) return { ...schema, type: schema.type ?? type };
  if (schema.anyOf !== undefined) {
    replace("enum");
    return schema;
  }
  const { type: _, enum: __, ...rest } = schema;
  return { ...rest, anyOf: [{ type, enum: kept }, { type: "null" }] };
}

/** One type, or one and "null" (guide "Structured output", "JSON Schema support"): more become a choice of schemas. */
function withTypes(schema: Record<string, unknown>, replace: (keyword: string, value?: unknown) => void) {
  const types = [schema.type].flat();
  const others = types.filter((type) => type !== "null");
  if (others.length < 2)
    return Array.isArray(schema.type) && types.length === 1 ? { ...schema, type: types[0] } : schema;
  if (schema.anyOf !== undefined) {
    replace("type");
    return schema;
  }
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_TYPES.includes(keyword)));
  const anyOf = types.map((type) => {
    const about = KEYWORDS_OF[String(type)] ?? [];
    return { type, ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => about.includes(keyword))) };
  });
  return { ...rest, anyOf };
}
