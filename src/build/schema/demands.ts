/**
 * Finds out which rules of a tool's published JSON Schema its own schema may not enforce, and therefore need a compiled
 * check. Rules that the known libraries do enforce cost nothing. test/build/schema/demands.node.test.ts compares this
 * with the libraries.
 */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";
import { changeAll, isAnnotation } from "./flatten-schema.ts";
import { isRecord } from "./is-record.ts";
import { checksNothing, OWN_VENDOR, standardOf, toFlatJsonSchema } from "./schema.ts";

/** The rules to check: the source of a `Check` in core/catalog/compiled-check.ts. */
export interface Demands {
  /** Names of required parameters. */
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
 * @param schema from the tool's definition
 * @param published its JSON Schema in the listings
 * @returns undefined if the schema itself refuses everything that the published one refuses, or if it is the author's
 *   own JSON Schema with a function that checks the input
 */
export function demandsOf(schema: unknown, published: Described["input"]): Demands | undefined {
  const vendor = standardOf(schema)?.vendor;
  const isOwn = vendor === OWN_VENDOR;
  if (vendor === undefined || (isOwn && !checksNothing(schema))) return undefined;

  const written = toFlatJsonSchema(schema, "input");
  const isChoice = written.type !== "object";
  const isTrusted = KNOWN.has(vendor) && !isChoice && !listsUnchecked(schema);
  const { type: _, properties, required = [], ...together } = rulesOnly(published) as Described["input"];
  const unchecked = Object.entries(properties).filter(
    ([, property]) => !acceptsAnything(property) && !(isTrusted && isSimple(property)),
  );
  // A choice of objects is listed as one object, which says less than what the author wrote.
  const whole = isOwn && isChoice ? (rulesOnly(written) as JsonSchema) : wholeOf(properties, together);
  const names = required as readonly string[];
  const isEnforced = unchecked.length === 0 && whole === undefined && (isTrusted || names.length === 0);
  return isEnforced ? undefined : { required: names, properties: unchecked, whole };
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
function listsUnchecked(schema: unknown): boolean {
  const { references = [] } = (schema as { internal?: ArktypeNode }).internal ?? {};
  return references.some(({ meta }) => hasKeywords(meta)) || hasUncheckedPart(schema);
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
  if (replacesValue(part) || hasKeywords(metadataOf(part)) || (part as ZodPart)._zod?.toJSONSchema) return true;
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
 * Whether a part of a schema replaces the value before later checks: `fallback`, `trim` before a length, `coerce`. The
 * published rules are then about the replaced value, not about the value that was sent.
 */
function replacesValue(part: object): boolean {
  const zod = (part as ZodPart)._zod?.def;
  if (zod && (zod.coerce || zod.check === "overwrite" || ["catch", "transform", "lazy"].includes(String(zod.type)))) {
    return true;
  }
  const { kind, pipe = [] } = part as { kind?: unknown; pipe?: readonly { kind: string }[] };
  if (kind === "schema" && "fallback" in part) return true;
  if (!Array.isArray(pipe)) return false;
  const change = pipe.findIndex((action) => action.kind === "transformation");
  const afterChange = change < 0 ? [] : pipe.slice(change);
  return afterChange.some((action) => action.kind === "validation" || action.kind === "schema");
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
