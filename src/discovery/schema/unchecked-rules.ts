/**
 * Finds out which rules of a tool's published JSON Schema its own schema may not enforce, and therefore need a compiled
 * check. Rules that the known libraries do enforce cost nothing. test/discovery/schema/unchecked-rules.node.test.ts compares this
 * with the libraries.
 */

import { isRecord } from "../../core/lib/json.ts";
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";
import { isChangedAsAWhole, openWhereMarked } from "./changed.ts";
import { changeAll, isAnnotation } from "./flatten-schema.ts";
import { checksNothing, OWN_VENDOR, standardOf, toFlatJsonSchema } from "./schema.ts";
import { sideOf } from "./valibot-to-json-schema.ts";

/** The rules to check: the source of a `Check` in core/catalog/compiled-check.ts. */
export interface UncheckedRules {
  readonly required: readonly string[];
  /** Parameters to check one by one. */
  readonly properties: readonly (readonly [name: string, schema: unknown])[];
  /** Rules about all parameters together. */
  readonly whole?: JsonSchema | undefined;
}

/** Libraries that are known to check simple values as JSON Schema does. */
const KNOWN: ReadonlySet<string> = new Set(["valibot", "zod", "arktype"]);
/**
 * Keywords that these libraries enforce. They count `maxLength` in UTF-16 units, which are never fewer than JSON
 * Schema's code points, so a value that they accept is short enough.
 */
const ENFORCED: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxLength", "minItems", "maxItems"],
]);

/**
 * What a call's input has to fit.
 *
 * @param schema from the tool's definition
 * @param described its JSON Schema, with marks (changed.ts): where the schema changes the value, its library decides
 * @returns undefined if the schema itself refuses everything that the described one refuses, or if it is the author's
 *   own JSON Schema with a function that checks the input
 */
export function uncheckedRulesOf(schema: unknown, described: Described["input"]): UncheckedRules | undefined {
  const vendor = standardOf(schema)?.vendor;
  const isOwn = vendor === OWN_VENDOR;
  if (vendor === undefined || (isOwn && !checksNothing(schema))) return undefined;

  const written = toFlatJsonSchema(schema, "input");
  if (isChangedAsAWhole(written)) return undefined;
  const isChoice = written.type !== "object";
  const isTrusted = KNOWN.has(vendor) && !isChoice && !listsUnchecked(schema, "input");
  const judged = rulesOnly(openWhereMarked(described)) as Described["input"];
  const { type: _, properties, required = [], ...together } = judged;
  const unchecked = Object.entries(properties).filter(
    ([, property]) => !acceptsAnything(property) && !(isTrusted && isSimple(property)),
  );
  // A choice of objects is listed as one object, which says less than what the author wrote.
  const whole = isOwn && isChoice ? (rulesOnly(written) as JsonSchema) : wholeOf(properties, together);
  const names = required as readonly string[];
  const isEnforced = unchecked.length === 0 && whole === undefined && (isTrusted || names.length === 0);
  return isEnforced ? undefined : { required: names, properties: unchecked, whole };
}

/**
 * What a tool's result, or an event's data, has to fit.
 *
 * @param listed its JSON Schema in the listings; null for no output
 * @returns undefined if its library enforces all that is listed
 */
export function promisesOf(schema: unknown, listed: JsonSchema | null): UncheckedRules | undefined {
  const vendor = standardOf(schema)?.vendor;
  if (vendor === undefined || listed === null || (KNOWN.has(vendor) && !listsUnchecked(schema, "output"))) {
    return undefined;
  }
  const whole = rulesOnly(listed) as JsonSchema;
  return acceptsAnything(whole) ? undefined : { required: [], properties: [], whole };
}

/** The rules about all parameters together, if there are any. Rules about a single one are checked separately. */
function wholeOf(properties: object, together: JsonSchema): JsonSchema | undefined {
  if (Object.keys(together).length === 0) return undefined;
  const names = Object.keys(properties).map((name) => [name, true]);
  return { type: "object", properties: Object.fromEntries(names), ...together };
}

function acceptsAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}

/**
 * Whether a schema describes a value, or a list of values, that every known library checks exactly as JSON Schema does.
 *
 * @param schema without annotations (see {@link rulesOnly})
 */
function isSimple(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === true;
  return Object.entries(schema).every(([keyword, value]) => {
    switch (keyword) {
      case "type":
        return ![value].flat().includes("object");
      case "minLength":
        return (value as number) <= 1;
      case "const":
      case "enum":
        return [value].flat().every((choice) => typeof choice !== "object" || choice === null);
      case "items":
        return isSimple(value);
      case "anyOf":
        return (value as unknown[]).every(isSimple);
      default:
        return ENFORCED.has(keyword);
    }
  });
}

/** Whether a library lists any part of a schema differently from what it enforces. */
function listsUnchecked(schema: unknown, side: "input" | "output"): boolean {
  const { references = [] } = (schema as { internal?: ArktypeNode }).internal ?? {};
  const listed = standardOf(schema)?.vendor === "valibot" ? sideOf(schema, side).schema : schema;
  return references.some(({ meta }) => hasKeywords(meta)) || hasUncheckedPart(listed);
}

interface ArktypeNode {
  readonly references?: readonly { readonly meta: object }[];
}

/** Whether an author's metadata has more than annotations: rules that the library lists but does not check. */
function hasKeywords(metadata: object | undefined): boolean {
  return Object.keys(metadata ?? {}).some((key) => !isAnnotation(key));
}

/** {@link listsUnchecked} for schemas of valibot and zod. */
function hasUncheckedPart(part: unknown, seen = new Set<unknown>()): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  // What a lazy schema holds is not known before it is called.
  const isLazy = (part as { type?: unknown }).type === "lazy" || (part as ZodPart)._zod?.def.type === "lazy";
  if (isLazy || hasKeywords(metadataOf(part)) || (part as ZodPart)._zod?.toJSONSchema) return true;
  return Object.values((part as ZodPart)._zod?.def ?? part).some((child) => hasUncheckedPart(child, seen));
}

interface ZodPart {
  readonly _zod?: { readonly def: Readonly<Record<string, unknown>>; readonly toJSONSchema?: unknown };
  meta?(): object | undefined;
}

/** From valibot's `metadata` or zod's `meta`. */
function metadataOf(part: object): object | undefined {
  if ("_zod" in part) return (part as ZodPart).meta?.();
  const { kind, metadata } = part as { kind?: unknown; metadata?: object };
  return kind === "metadata" ? metadata : undefined;
}

/**
 * A schema without annotations, and without rules that no value can break, such as valibot's and zod's rule that the
 * names in a record are strings.
 */
function rulesOnly(schema: unknown): unknown {
  const isRule = ([keyword, value]: [string, unknown]) =>
    !isAnnotation(keyword) && !(keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}');
  return changeAll(schema, (part) => Object.fromEntries(Object.entries(part).filter(isRule)));
}
