/**
 * Finds out what of a tool's published parameters its own schema may let pass unchecked. What is known to be held by
 * the libraries costs nothing; everything else is checked. test/build/schema/demands.node.test.ts holds this against the
 * libraries.
 */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";
import { changeAll, isAnnotation } from "./flatten-schema.ts";
import { isRecord } from "./is-record.ts";
import { checksNothing, OWN_VENDOR, standardOf, toFlatJsonSchema } from "./schema.ts";

/** What has to be checked of a tool's parameters: `Check` of core/catalog/compiled-check.ts, before it is compiled. */
export interface Demands {
  readonly required: readonly string[];
  readonly properties: readonly (readonly [name: string, schema: unknown])[];
  /** What is said of all parameters together. */
  readonly whole?: JsonSchema | undefined;
}

/** Libraries whose way with simple values is known. */
const KNOWN: ReadonlySet<string> = new Set(["valibot", "zod", "arktype"]);
/** Libraries hold these. A length in code points is no longer than theirs, in UTF-16 units: the most is held as well. */
const HELD: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxLength", "minItems", "maxItems"],
]);

/**
 * @param schema as the definition has it
 * @param listed what is published of it
 * @returns undefined if the schema itself refuses whatever the published one refuses, or its author's function decides
 */
export function demandsOf(schema: unknown, listed: Described["input"]): Demands | undefined {
  const vendor = standardOf(schema)?.vendor;
  const isOwn = vendor === OWN_VENDOR;
  if (vendor === undefined || (isOwn && !checksNothing(schema))) return undefined;

  const written = toFlatJsonSchema(schema, "input");
  const isChoice = written.type !== "object";
  const isTrusted = KNOWN.has(vendor) && !isChoice && !goesItsOwnWay(schema);
  const { type: _, properties, required = [], ...together } = bare(listed) as Described["input"];
  const unsure = Object.entries(properties).filter(
    ([, property]) => !takesAnything(property) && !(isTrusted && isSimple(property)),
  );
  // A choice of objects is listed as one object: what an author wrote says more.
  const whole = isOwn && isChoice ? (bare(written) as JsonSchema) : wholeOf(properties, together);
  const names = required as readonly string[];
  const isHeld = unsure.length === 0 && whole === undefined && (isTrusted || names.length === 0);
  return isHeld ? undefined : { required: names, properties: unsure, whole };
}

/** What is said of the parameters together, if anything is. What is said of each is checked apart. */
function wholeOf(properties: object, together: JsonSchema): JsonSchema | undefined {
  if (Object.keys(together).length === 0) return undefined;
  const names = Object.keys(properties).map((name) => [name, true]);
  return { type: "object", properties: Object.fromEntries(names), ...together };
}

function takesAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}

/**
 * Whether it is a value, or a list of values, that every known library tells from others as JSON Schema does.
 *
 * @param schema bare
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
        return HELD.has(keyword);
    }
  });
}

/** Whether anything in a schema is listed that the library itself does not hold to. */
function goesItsOwnWay(schema: unknown): boolean {
  const { references = [] } = (schema as { internal?: ArktypeNode }).internal ?? {};
  return references.some(({ meta }) => hasKeywords(meta)) || hasSuchPart(schema);
}

interface ArktypeNode {
  readonly references?: readonly { readonly meta: object }[];
}

/** Whether an author says more than a description: keywords that the library lists without looking at them. */
function hasKeywords(said: object | undefined): boolean {
  return Object.keys(said ?? {}).some((key) => !isAnnotation(key));
}

/** Looks through a schema of valibot or zod. */
function hasSuchPart(part: unknown, seen = new Set<unknown>()): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  if (replacesValue(part) || hasKeywords(saidOf(part)) || (part as ZodPart)._zod?.toJSONSchema) return true;
  return Object.values((part as ZodPart)._zod?.def ?? part).some((child) => hasSuchPart(child, seen));
}

interface ZodPart {
  readonly _zod?: { readonly def: Readonly<Record<string, unknown>>; readonly toJSONSchema?: unknown };
  meta?(): object | undefined;
}

/** By valibot's `metadata` or zod's `meta`. */
function saidOf(part: object): object | undefined {
  if ("_zod" in part) return (part as ZodPart).meta?.();
  const { kind, metadata } = part as { kind?: unknown; metadata?: object };
  return kind === "metadata" ? metadata : undefined;
}

/**
 * Whether it puts something else in the place of what was sent, before the schema is done with it: `fallback`, `trim`
 * before a length, `coerce`. They publish what must hold afterwards.
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
  const behind = change < 0 ? [] : pipe.slice(change);
  return behind.some((action) => action.kind === "validation" || action.kind === "schema");
}

/** Without what no value breaks, such as what valibot and zod say of a record: that its names are texts. */
function bare(schema: unknown): unknown {
  const isBreakable = ([keyword, value]: [string, unknown]) =>
    !isAnnotation(keyword) && !(keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}');
  return changeAll(schema, (part) => Object.fromEntries(Object.entries(part).filter(isBreakable)));
}
