/**
 * Finds out what of a tool's published parameters its own schema may let pass unchecked. What is known to be held by
 * the libraries costs nothing; everything else is checked. test/build/published.test.ts holds this against the libraries.
 */
import type { Described, JsonSchema } from "../core/describe.ts";
import type { Demands } from "./compile.ts";
import { changeAll, isAnnotation } from "./flat.ts";
import { checksNothing, standardOf, toFlatJsonSchema } from "./schema.ts";
import { isRecord } from "./traits.ts";

/** Libraries whose way with simple values is known. */
const KNOWN: ReadonlySet<string> = new Set(["valibot", "zod", "arktype"]);
/** Libraries hold these. A length in code points is no longer than theirs, in UTF-16 units: the most is held as well. */
const HELD: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxLength", "minItems", "maxItems"],
]);

/**
 * @param schema as the definition has it
 * @param listed what is published of it
 * @returns undefined where the schema itself refuses whatever the published one refuses
 */
export function demandsOf(schema: unknown, listed: Described["input"]): Demands | undefined {
  const vendor = standardOf(schema)?.vendor;
  if (vendor === undefined) return undefined;
  const written = toFlatJsonSchema(schema, "input");
  const isOwn = vendor === "trivet";
  if (isOwn && !checksNothing(schema)) return undefined;
  // What is listed of a choice of objects is not what decides.
  const isTrusted = KNOWN.has(vendor) && written.type === "object" && !replacesValues(schema);
  const properties = Object.entries(listed.properties)
    .filter(([, property]) => !(isTrusted && isSimple(property)))
    .map(([name, property]) => [name, bare(property)] as const)
    .filter(([, property]) => !isRecord(property) || Object.keys(property).length > 0);
  const { type: _, properties: __, required, ...rest } = bare(listed) as JsonSchema;
  const together = Object.keys(rest).length > 0;
  const whole = isOwn && written.type !== "object" ? bare(written) : together ? wholeOf(listed, rest) : undefined;
  if (properties.length === 0 && whole === undefined && isTrusted) return undefined;
  return { required: (required ?? []) as string[], properties, whole: whole as JsonSchema | undefined };
}

/** What is said of the parameters together. What is said of each is checked apart. */
function wholeOf({ properties }: Described["input"], rest: JsonSchema): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(Object.keys(properties).map((name) => [name, true])),
    ...rest,
  };
}

/** Whether it is a value, or a list of values, that every known library tells from others as JSON Schema does. */
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
        return HELD.has(keyword) || isAnnotation(keyword);
    }
  });
}

/**
 * Whether a schema of valibot or zod puts something else in the place of what was sent, before it is done with it:
 * `fallback`, `trim` before a length, `coerce`. They publish what must hold afterwards.
 */
function replacesValues(part: unknown, seen = new Set<unknown>()): boolean {
  if (typeof part !== "object" || part === null || seen.has(part)) return false;
  seen.add(part);
  const zod = (part as { _zod?: { def: Record<string, unknown> } })._zod?.def;
  if (zod && (zod.coerce || zod.check === "overwrite" || ["catch", "transform", "lazy"].includes(String(zod.type)))) {
    return true;
  }
  const { kind, pipe } = part as { kind?: unknown; pipe?: readonly { kind: string }[] };
  if (kind === "schema" && "fallback" in part) return true;
  const change = Array.isArray(pipe) ? pipe.findIndex((action) => action.kind === "transformation") : -1;
  if (change >= 0 && pipe?.slice(change).some((action) => action.kind === "validation" || action.kind === "schema")) {
    return true;
  }
  return Object.values(zod ?? part).some((child) => replacesValues(child, seen));
}

/** Without what no value breaks. */
function bare(schema: unknown): unknown {
  return changeAll(schema, (part) => {
    const telling = Object.entries(part).filter(
      ([keyword, value]) => !isAnnotation(keyword) && !(keyword === "propertyNames" && JSON.stringify(value) === TEXT),
    );
    return Object.fromEntries(telling);
  });
}

/** What valibot and zod say of the names in a record. */
const TEXT = JSON.stringify({ type: "string" });
