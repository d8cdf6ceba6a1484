/** Standard Schema → flat JSON Schema (draft 2020-12), by the library that made it. Throws what its author must know. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { JsonSchema } from "../core/describe.ts";
import { flat } from "./flat.ts";

interface StandardJsonSchema {
  readonly vendor: string;
  readonly validate: unknown;
  readonly jsonSchema?: Record<"input" | "output", (options: object) => JsonSchema>;
}

/** The Standard Schema part of a value, whatever library it comes from; undefined for anything else. */
export function standardOf(schema: unknown): StandardJsonSchema | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const standard = (schema as Record<string, unknown>)["~standard"] as StandardJsonSchema | undefined;
  return typeof standard?.validate === "function" ? standard : undefined;
}

/** @param side which type of the schema: what goes into it, or what comes out */
export function toFlatJsonSchema(schema: unknown, side: "input" | "output"): JsonSchema {
  const standard = standardOf(schema);
  if (standard === undefined) throw new Error("it is not a Standard Schema (valibot, zod, arktype, …)");
  if (standard.vendor === "valibot") return flat(fromValibot(schema, side));
  if (!standard.jsonSchema) throw new Error(`${standard.vendor} schemas of this version cannot give a JSON Schema`);
  const libraryOptions = standard.vendor === "arktype" ? { libraryOptions: ARKTYPE_OPTIONS } : {};
  return flat(standard.jsonSchema[side]({ target: "draft-2020-12", ...libraryOptions }));
}

/** valibot's actions that change a value and not its type. */
const TYPE_KEEPING: ReadonlySet<string> = new Set([
  ...["brand", "flavor", "readonly", "normalize", "trim", "trim_start", "trim_end", "to_lower_case", "to_upper_case"],
  ...["filter_items", "sort_items", "to_min_value", "to_max_value"],
]);

function fromValibot(schema: unknown, side: "input" | "output"): JsonSchema {
  refuseOwnPrototype((schema as { entries?: unknown }).entries);
  return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    target: "draft-2020-12",
    typeMode: side,
    errorMode: "throw",
    // A check that JSON Schema has no word for still holds when the tool is called. A type without one is an error.
    overrideAction: ({ errors, jsonSchema, valibotAction: { kind, type } }) =>
      errors && (kind === "validation" || TYPE_KEEPING.has(type)) ? jsonSchema : undefined,
    // A default that is computed for each call is none that could be listed.
    overrideSchema({ errors, jsonSchema, valibotSchema }) {
      if (errors || typeof (valibotSchema as { default?: unknown }).default !== "function") return undefined;
      const { default: _, ...rest } = jsonSchema;
      return rest;
    },
  }) as JsonSchema;
}

/** `{ __proto__: v.string() }` has no such member: JavaScript takes the schema for the prototype of the others. */
function refuseOwnPrototype(entries: unknown): void {
  if (typeof entries !== "object" || entries === null) return;
  const prototype = Object.getPrototypeOf(entries);
  if (prototype !== Object.prototype && prototype !== null) throw new Error('a parameter cannot be called "__proto__"');
}

/** By itself arktype's converter drops what JSON has no type for and lists "any value". */
const ARKTYPE_OPTIONS = {
  fallback: Object.fromEntries(
    ["date", "domain", "proto", "unit", "symbolKey", "arrayObject", "arrayPostfix"].map((code) => [
      code,
      (context: object) => {
        throw new Error(`JSON has no type for ${code} ${JSON.stringify(context, replaceUnprintable)}`);
      },
    ]),
  ),
};

function replaceUnprintable(_key: string, value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : value;
}
