/** The keywords of JSON Schema, draft 2020-12: which hold schemas, and which form each of them has. */
import { isRecord } from "../lib/json.ts";
import type { JsonSchema } from "../oxp/types.ts";

export interface Converted {
  readonly schema: JsonSchema;
  /** Keywords that `schema` leaves out or loosens, as they were. */
  readonly omitted: JsonSchema;
}

/** Keywords that hold a schema, a list of schemas, schemas by name (draft 2020-12, 10.2 and 10.3). */
export const ONE = ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];
export const UNEVALUATED = ["unevaluatedItems", "unevaluatedProperties"];
export const UNIONS = ["allOf", "anyOf", "oneOf"] as const;
export const MAPS = ["dependentSchemas", "properties"];
/** Keywords that say nothing about a value: OXP allows no references between schemas (OXP 1.0, ToolDefinition). */
export const SILENT = [
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$comment",
  "$vocabulary",
  "$defs",
  "definitions",
];
/**
 * Not accepted anywhere: references (OXP allows none), and names by pattern, which Claude refuses even if they are legal
 * (github.com/openclaw/openclaw/issues/29416).
 */
const NOWHERE = ["$ref", "$dynamicRef", "$recursiveRef", "patternProperties", "dependencies", "additionalItems"];

/**
 * Keywords of the wrong form come from servers that check nothing, and from older drafts, in which `exclusiveMinimum`
 * was a boolean. Claude checks: 400, "It must match JSON Schema draft 2020-12" (github.com/anthropics/claude-code/issues/7365).
 */
const FORMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...formOf(isText, "title", "description", "pattern", "format"),
  ...formOf(isNumber, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
  ...formOf((value) => isNumber(value) && value > 0, "multipleOf"),
  ...formOf(isCount, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
  ...formOf(isCount, "minContains", "maxContains"),
  ...formOf((value) => typeof value === "boolean", "uniqueItems", "deprecated", "readOnly", "writeOnly"),
  ...formOf((value) => Array.isArray(value) && value.length > 0, "enum", "examples", "prefixItems"),
  ...formOf((value) => Array.isArray(value) && value.every(isText), "required"),
  ...formOf((value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)), "type"),
  ...formOf((value) => Array.isArray(value) && value.length > 0 && value.every(isSchema), ...UNIONS),
  ...formOf(isSchema, ...ONE, ...UNEVALUATED),
  ...formOf((value) => isRecord(value) && Object.values(value).every(isSchema), ...MAPS),
  ...formOf(isRecord, "dependentRequired"),
};

/** Leaves out keywords of the wrong form, those that no API accepts, and those that would mean more without these. */
export function wellFormed(schema: JsonSchema): Converted {
  const result: Record<string, unknown> = {};
  const omitted: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(modern(schema))) {
    if (SILENT.includes(keyword)) continue;
    const isGood = !NOWHERE.includes(keyword) && (!Object.hasOwn(FORMS, keyword) || FORMS[keyword]?.(value));
    (isGood ? result : omitted)[keyword] = value;
  }
  const lost = Object.keys(omitted);
  // "No others than these" must not outlive "these".
  if (lost.includes("patternProperties") || lost.includes("properties")) move("additionalProperties", result, omitted);
  if (lost.length > 0) for (const keyword of UNEVALUATED) move(keyword, result, omitted);
  return { schema: result, omitted };
}

/** Tuples as draft 2020-12 writes them. */
function modern(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.items)) return schema;
  const { items: prefixItems, additionalItems, ...rest } = schema;
  return { ...rest, prefixItems, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** Moves a keyword, if it is there. */
export function move(keyword: string, from: Record<string, unknown>, to: Record<string, unknown>): void {
  if (!Object.hasOwn(from, keyword)) return;
  to[keyword] = from[keyword];
  delete from[keyword];
}

function formOf(isGood: (value: unknown) => boolean, ...keywords: readonly string[]) {
  return Object.fromEntries(keywords.map((keyword) => [keyword, isGood]));
}

export const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const namesIn = (value: unknown): readonly string[] => listed(value).filter(isText);

function isSchema(value: unknown): boolean {
  return isRecord(value) || typeof value === "boolean";
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
