/** Standard Schema → flat JSON Schema (draft 2020-12), by the library that made it. Throws what its author must know. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { changeAll, flattenSchema, inlined } from "./flatten-schema.ts";
import { flaggedPatterns, isPattern } from "./patterns.ts";

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
  // A schema that its author wrote: what it shares is written out, for protocols that know no references.
  if (standard.vendor === OWN_VENDOR) return flattenSchema(inlined(verbatimOf(schema)));
  if (standard.vendor === "valibot") return withoutUntold(flattenSchema(fromValibot(schema, side)), schema);
  if (!standard.jsonSchema) throw new Error(`${standard.vendor} schemas of this version cannot give a JSON Schema`);
  const libraryOptions = standard.vendor === "arktype" ? { libraryOptions: ARKTYPE_OPTIONS } : {};
  return withoutUntold(
    flattenSchema(standard.jsonSchema[side]({ target: "draft-2020-12", ...libraryOptions })),
    schema,
  );
}

/**
 * Without patterns that are not what JSON Schema would read: libraries list `/^a$/i` as if it took no "A", and forms that
 * are wrong with the flag `u`, which make clients drop the tool. They still hold when it is called.
 */
function withoutUntold(listed: JsonSchema, schema: unknown): JsonSchema {
  const flagged = flaggedPatterns(schema);
  const isTold = (pattern: unknown) => isPattern(pattern) && !flagged.has(pattern);
  return changeAll(listed, ({ pattern, ...rest }) => (isTold(pattern) ? { pattern, ...rest } : rest)) as JsonSchema;
}

/** What `jsonSchema()` of `#tool` calls itself. */
export const OWN_VENDOR = "trivet";

function verbatimOf(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify((schema as { schema: JsonSchema }).schema));
}

/** The JSON Schema that an author wrote out; undefined for schemas of libraries. */
export function verbatimSchema(schema: unknown): JsonSchema | undefined {
  return standardOf(schema)?.vendor === OWN_VENDOR ? verbatimOf(schema) : undefined;
}

/** Whether nothing looks at what comes in: an author's JSON Schema that has no function beside it. */
export function checksNothing(schema: unknown): boolean {
  return standardOf(schema)?.vendor === OWN_VENDOR && (schema as { checked?: unknown }).checked === false;
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
    overrideSchema({ errors, jsonSchema, valibotSchema }) {
      if (valibotSchema.type === "variant" && !areApart(jsonSchema.oneOf as JsonSchema[], valibotSchema)) {
        const { oneOf, ...rest } = jsonSchema;
        return { ...rest, anyOf: oneOf };
      }
      // A default that is computed for each call is none that could be listed.
      if (errors || typeof (valibotSchema as { default?: unknown }).default !== "function") return undefined;
      const { default: _, ...rest } = jsonSchema;
      return rest;
    },
  }) as JsonSchema;
}

/** Whether each of a variant's choices has a key of its own: a value that fits two fits, and does not fit "one of". */
function areApart(choices: readonly JsonSchema[], variant: unknown): boolean {
  const { key } = variant as { key: string };
  const keys = choices.map(({ properties }) => (properties as Record<string, JsonSchema> | undefined)?.[key]?.const);
  return !keys.includes(undefined) && new Set(keys).size === keys.length;
}

/**
 * What a valibot parameter's author says of it behind a change of its type: of the result, and meant for the parameter.
 * The converter stops at the change.
 */
export function descriptionBehindChange(input: unknown, name: string): string | undefined {
  let schema = (input as { entries?: Record<string, ValibotPart> }).entries?.[name];
  while (schema?.wrapped) schema = schema.wrapped;
  return schema?.pipe?.findLast(({ type }) => type === "description")?.description?.trim() || undefined;
}

interface ValibotPart {
  readonly type: string;
  readonly description?: string;
  readonly wrapped?: ValibotPart;
  readonly pipe?: readonly ValibotPart[];
}

/** `{ __proto__: v.string() }` has no such member: JavaScript takes the schema for the prototype of the others. */
function refuseOwnPrototype(entries: unknown): void {
  if (typeof entries !== "object" || entries === null) return;
  const prototype = Object.getPrototypeOf(entries);
  if (prototype !== Object.prototype && prototype !== null) throw new Error('a parameter cannot be called "__proto__"');
}

const ARKTYPE_OPTIONS = {
  fallback: {
    // By itself arktype's converter drops what JSON has no type for and lists "any value".
    ...Object.fromEntries(
      ["date", "domain", "proto", "unit", "symbolKey", "arrayObject", "arrayPostfix"].map((code) => [
        code,
        (context: object) => {
          throw new Error(`JSON has no type for ${code} ${JSON.stringify(context, replaceUnprintable)}`);
        },
      ]),
    ),
    // What a scope's own configuration says in place of a function would be listed, and nothing would hold it.
    ...Object.fromEntries(
      ["morph", "patternIntersection", "predicate"].map((code) => [code, ({ base }: { base: object }) => base]),
    ),
  },
};

function replaceUnprintable(_key: string, value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : value;
}
