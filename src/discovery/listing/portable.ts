/**
 * Rewrites the inputs of tools for hosts that do not take all of JSON Schema (docs/listings.md). The listed schema may
 * then accept more than the tool does, but never less: calls are checked against what the author wrote.
 */

import { isRecord } from "../../core/lib/json.ts";
import type { JsonSchema, ListingRule } from "../../core/model/tool-description.ts";
import { withParts } from "../schema/flatten-schema.ts";

type Rewriting = (schema: JsonSchema) => JsonSchema;

/** In the order in which they are applied to a schema. The schemas inside it are rewritten afterwards. */
const REWRITINGS: Readonly<Partial<Record<ListingRule, Rewriting>>> = {
  "type-list": withOneType,
  const: withoutConst,
  "choice-of-values": withTextChoices,
  "empty-choice": withoutEmptyChoice,
  "exclusive-bound": withInclusiveBounds,
  "names-of-members": withoutRulesOfNames,
  format: withCommonFormat,
};

/** @param allowed rules that do not apply to this tool */
export function portable<Schema extends JsonSchema>(input: Schema, allowed: readonly ListingRule[]): Schema {
  const applied = Object.entries(REWRITINGS).filter(([rule]) => !allowed.includes(rule as ListingRule));
  const rewritten = (part: unknown): unknown => {
    if (!isRecord(part)) return part;
    const changed = applied.reduce((schema, [, rewrite]) => rewrite(schema), withoutAnyOthers(part));
    // These keep their schemas: if the schema in a `not` accepted more, the whole schema would accept less.
    const { not, if: condition, contains, ...rest } = changed;
    const kept = Object.entries({ not, if: condition, contains }).filter(([, value]) => value !== undefined);
    const after = withParts(rest, rewritten);
    const { oneOf, ...others } = after;
    // Choices that accept more than before may overlap, and oneOf refuses what fits two of them.
    const mayOverlap = oneOf !== undefined && !isSame(oneOf, exactly(rest.oneOf, allowed));
    const choice = mayOverlap ? { ...others, anyOf: others.anyOf ?? oneOf } : after;
    return { ...choice, ...Object.fromEntries(kept) };
  };
  return rewritten(input) as Schema;
}

/** Rules whose rewritings accept more than before. */
const LOOSENING: readonly ListingRule[] = ["choice-of-values", "exclusive-bound", "names-of-members"];

function exactly(choices: unknown, allowed: readonly ListingRule[]): unknown {
  return (choices as JsonSchema[]).map((choice) => portable(choice, [...allowed, ...LOOSENING]));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Removes an `additionalProperties` that accepts any value: a schema without it means the same. */
function withoutAnyOthers(schema: JsonSchema): JsonSchema {
  const { additionalProperties: others, ...rest } = schema;
  const isAny = others === true || (isRecord(others) && Object.keys(others).length === 0);
  return isAny ? rest : schema;
}

/** Adds a sentence to a schema's description. */
function saying(schema: JsonSchema, sentence: string): JsonSchema {
  const { description } = schema;
  if (typeof description !== "string") return { ...schema, description: sentence };
  return { ...schema, description: `${description.trimEnd().replace(/[^.!?…:;]$/, "$&.")} ${sentence}` };
}

/** Keywords that are about values of one type (draft 2020-12, validation, 6; core, 10.3). */
const OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType", "contentSchema"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"],
  object: [
    ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"],
    ...["maxProperties", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "dependencies"],
  ],
};
const TYPE_OF_KEYWORD: ReadonlyMap<string, string> = new Map(
  Object.entries(OF_TYPE).flatMap(([type, words]) => words.map((word) => [word, type] as const)),
);

/** `type: ["string", "null"]` → `anyOf: [{ type: "string" }, { type: "null" }]`, each with the keywords of its type. */
function withOneType(schema: JsonSchema): JsonSchema {
  const { type, enum: choices, const: only, format, ...rest } = schema;
  const values = Array.isArray(choices) ? choices : only === undefined ? undefined : [only];
  const types = type === undefined ? [...new Set(values?.map(typeOf))] : ([type].flat() as string[]);
  if (types.length < 2 && !Array.isArray(type) && (values?.every((value) => fits(value, types[0])) ?? true)) {
    return schema;
  }
  const branches = types.flatMap((name): JsonSchema[] => {
    const kind = name === "integer" ? "number" : name;
    const fitting = values?.filter((value) => fits(value, name));
    if (fitting?.length === 0) return [];
    return [
      {
        type: name,
        ...Object.fromEntries(Object.entries(rest).filter(([keyword]) => TYPE_OF_KEYWORD.get(keyword) === kind)),
        ...(format !== undefined && (kind === "string" || kind === "number") && { format }),
        ...(fitting && name !== "null" && { enum: fitting }),
      },
    ];
  });
  // No value fits such a schema.
  if (branches.length === 0) return schema;
  const common = Object.entries(rest).filter(([keyword]) => !TYPE_OF_KEYWORD.has(keyword));
  const { anyOf, ...outside } = Object.fromEntries(common);
  const [first] = branches;
  if (first && branches.length === 1) return { ...first, ...outside, ...(anyOf !== undefined && { anyOf }) };
  const { allOf = [] } = outside as { allOf?: readonly JsonSchema[] };
  return { ...outside, anyOf: branches, ...(anyOf !== undefined && { allOf: [...allOf, { anyOf }] }) };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function fits(value: unknown, type: string | undefined): boolean {
  return typeOf(value) === type || (type === "integer" && Number.isInteger(value));
}

/** `const: "a"` → `enum: ["a"]`, and a choice of such constants → one `enum`. */
function withoutConst(schema: JsonSchema): JsonSchema {
  const { const: only, anyOf, ...rest } = schema;
  if (only === null) return { ...rest, type: "null" };
  if (only !== undefined) return { ...rest, ...(anyOf !== undefined && { anyOf }), enum: [only] };
  const texts = Array.isArray(anyOf) ? anyOf.map((choice) => textIn(choice, rest.description)) : [];
  if (texts.length === 0 || texts.includes(undefined) || rest.enum !== undefined) return schema;
  return { type: "string", ...rest, enum: texts };
}

/** The text that a choice demands, if that is all it says beyond the description of the whole. */
function textIn({ type, const: only, description, ...rest }: JsonSchema, ofAll: unknown): unknown {
  const isAll = Object.keys(rest).length === 0 && (description === undefined || description === ofAll);
  return type === "string" && typeof only === "string" && isAll ? only : undefined;
}

/** Longest list of choices in a description, in characters. */
const MAX_CHOICES = 1_000;

/** Replaces choices that are not texts by their type, and lists them in the description. */
function withTextChoices(schema: JsonSchema): JsonSchema {
  const { enum: choices, ...rest } = schema;
  if (!Array.isArray(choices) || choices.length === 0 || choices.some((choice) => typeof choice === "string")) {
    return schema;
  }
  const { type = typeOf(choices[0]) } = rest;
  if (type === "null") return { ...rest, type };
  const list = choices.map((choice) => JSON.stringify(choice)).join(", ");
  const shown = list.length > MAX_CHOICES ? `${list.slice(0, MAX_CHOICES)}…` : list;
  return saying({ ...rest, type }, choices.length === 1 ? `Always ${shown}.` : `One of ${shown}.`);
}

function withoutEmptyChoice(schema: JsonSchema): JsonSchema {
  const { enum: choices, ...rest } = schema;
  if (!Array.isArray(choices) || !choices.includes("")) return schema;
  const others = choices.filter((choice) => choice !== "");
  return others.length > 0 ? { ...schema, enum: others } : rest;
}

/** `exclusiveMinimum: 0` → `minimum: 1` for integers, and `minimum: 0` with a sentence for other numbers. */
function withInclusiveBounds(schema: JsonSchema): JsonSchema {
  const { exclusiveMinimum: above, exclusiveMaximum: below, ...rest } = schema;
  const {
    type,
    minimum = -Infinity,
    maximum = Infinity,
  } = schema as { type?: unknown; minimum?: number; maximum?: number };
  const isInteger = type === "integer";
  let changed: JsonSchema = rest;
  if (typeof above === "number") {
    changed = { ...changed, minimum: Math.max(minimum, isInteger ? Math.floor(above) + 1 : above) };
    if (!isInteger && above >= minimum) changed = saying(changed, `More than ${above}.`);
  }
  if (typeof below === "number") {
    changed = { ...changed, maximum: Math.min(maximum, isInteger ? Math.ceil(below) - 1 : below) };
    if (!isInteger && below <= maximum) changed = saying(changed, `Less than ${below}.`);
  }
  return changed;
}

/** Replaces rules about the names of members that the schema does not list by sentences in the description. */
function withoutRulesOfNames(schema: JsonSchema): JsonSchema {
  const { propertyNames: names, patternProperties: patterns, unevaluatedProperties: _, ...rest } = schema;
  const words: string[] = [];
  if (isRecord(names)) {
    if (Array.isArray(names.enum)) words.push(`Names: ${names.enum.join(", ")}.`);
    else if (typeof names.pattern === "string") words.push(`Names are of the form ${names.pattern}.`);
  }
  if (!isRecord(patterns)) return words.length > 0 ? saying(rest, words.join(" ")) : rest;
  for (const [pattern, value] of Object.entries(patterns)) {
    const { type, description } = (isRecord(value) ? value : {}) as JsonSchema;
    const kind = typeof type === "string" ? `: ${type}` : "";
    const about = typeof description === "string" ? `. ${description}` : "";
    words.push(`Members with names of the form ${pattern}${kind}${about.replace(/\.$/, "")}.`);
  }
  // `additionalProperties` would refuse the members with such names, or hold them to another schema.
  const { additionalProperties: __, ...open } = rest;
  return saying(open, words.join(" "));
}

/** The formats that all hosts accept. Gemini refuses every other format of a text. */
const COMMON_FORMATS: readonly unknown[] = ["date-time", "int32", "int64", "float", "double"];
const FORMATS: Readonly<Record<string, string>> = {
  date: "A date, such as 2026-11-25.",
  time: "A time, such as 12:30:00Z.",
  duration: "A duration, such as PT15M.",
  email: "An email address.",
  "idn-email": "An email address.",
  hostname: "A host name.",
  ipv4: "An IPv4 address.",
  ipv6: "An IPv6 address.",
  uri: "A URL.",
  url: "A URL.",
  uuid: "A UUID.",
  regex: "A regular expression.",
  base64: "Base64.",
};

function withCommonFormat(schema: JsonSchema): JsonSchema {
  const { format, contentEncoding: _, ...rest } = schema;
  if (typeof format !== "string" || COMMON_FORMATS.includes(format)) return schema;
  return saying(rest, FORMATS[format] ?? `Format: ${format}.`);
}

/** Whether a rule rewrites a schema itself, not only a schema inside it. */
export function rewrites(rule: ListingRule, schema: JsonSchema): boolean {
  const rewrite = REWRITINGS[rule];
  return rewrite !== undefined && !isSame(rewrite(schema), schema);
}
