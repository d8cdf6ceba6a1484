/** Converts a Standard Schema to flat JSON Schema (draft 2020-12), with the converter of the library that made it. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { changeAll, flattenSchema, inlined } from "./flatten-schema.ts";
import { flaggedPatterns, isPattern } from "./patterns.ts";

interface StandardJsonSchema {
  readonly vendor: string;
  readonly validate: unknown;
  readonly jsonSchema?: Record<"input" | "output", (options: object) => JsonSchema>;
}

/** The Standard Schema interface of a value from any library; undefined for other values. */
export function standardOf(schema: unknown): StandardJsonSchema | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const standard = (schema as Record<string, unknown>)["~standard"] as StandardJsonSchema | undefined;
  return typeof standard?.validate === "function" ? standard : undefined;
}

/**
 * @param side whether to describe the values that go into the schema, or those that come out
 * @throws {Error} with a message for the schema's author, if JSON Schema cannot express it
 */
export function toFlatJsonSchema(schema: unknown, side: "input" | "output"): JsonSchema {
  const standard = standardOf(schema);
  if (standard === undefined) throw new Error("it is not a Standard Schema (valibot, zod, arktype, …)");
  // The author's own JSON Schema. References are replaced, because some protocols do not support them.
  if (standard.vendor === OWN_VENDOR) return flattenSchema(inlined(verbatimOf(schema)));
  if (standard.vendor === "valibot") return withoutBadPatterns(flattenSchema(fromValibot(schema, side)), schema);
  if (!standard.jsonSchema) throw new Error(`${standard.vendor} schemas of this version cannot give a JSON Schema`);
  const libraryOptions = standard.vendor === "arktype" ? { libraryOptions: ARKTYPE_OPTIONS } : {};
  return withoutBadPatterns(
    flattenSchema(standard.jsonSchema[side]({ target: "draft-2020-12", ...libraryOptions })),
    schema,
  );
}

/**
 * Removes patterns that JSON Schema would read differently. Libraries list `/^a$/i` as a pattern that does not match
 * "A", and list patterns that are invalid with the flag `u`, which make clients drop the tool. The library still checks
 * the removed patterns when the tool is called.
 */
function withoutBadPatterns(listed: JsonSchema, schema: unknown): JsonSchema {
  const flagged = flaggedPatterns(schema);
  const isFaithful = (pattern: unknown) => isPattern(pattern) && !flagged.has(pattern);
  return changeAll(listed, ({ pattern, ...rest }) => (isFaithful(pattern) ? { pattern, ...rest } : rest)) as JsonSchema;
}

/** The vendor name of schemas made by `jsonSchema()` of `#tool`. */
export const OWN_VENDOR = "trivet";

function verbatimOf(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify((schema as { schema: JsonSchema }).schema));
}

/** The JSON Schema that an author wrote with `jsonSchema()`; undefined for schemas of libraries. */
export function verbatimSchema(schema: unknown): JsonSchema | undefined {
  return standardOf(schema)?.vendor === OWN_VENDOR ? verbatimOf(schema) : undefined;
}

/** Whether a schema does not validate anything: an author's own JSON Schema without a validating function. */
export function checksNothing(schema: unknown): boolean {
  return standardOf(schema)?.vendor === OWN_VENDOR && (schema as { checked?: unknown }).checked === false;
}

/** valibot's actions that change a value but not its type. */
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
    // A check that JSON Schema cannot express is left out, and still runs when the tool is called. A type that JSON
    // Schema cannot express is an error.
    overrideAction: ({ errors, jsonSchema, valibotAction: { kind, type } }) =>
      errors && (kind === "validation" || TYPE_KEEPING.has(type)) ? jsonSchema : undefined,
    overrideSchema({ errors, jsonSchema, valibotSchema }) {
      if (valibotSchema.type === "variant" && !areApart(jsonSchema.oneOf as JsonSchema[], valibotSchema)) {
        const { oneOf, ...rest } = jsonSchema;
        return { ...rest, anyOf: oneOf };
      }
      // A default that is computed for each call cannot be listed.
      if (errors || typeof (valibotSchema as { default?: unknown }).default !== "function") return undefined;
      const { default: _, ...rest } = jsonSchema;
      return rest;
    },
  }) as JsonSchema;
}

/** Whether no two choices of a variant have the same key. If two have, a value may match both, which oneOf refuses. */
function areApart(choices: readonly JsonSchema[], variant: unknown): boolean {
  const { key } = variant as { key: string };
  const keys = choices.map(({ properties }) => (properties as Record<string, JsonSchema> | undefined)?.[key]?.const);
  return !keys.includes(undefined) && new Set(keys).size === keys.length;
}

/**
 * The description that follows a transformation in a valibot parameter's pipe. It describes the result, but is meant
 * for the parameter too; valibot's converter stops at the transformation.
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

/** In `{ __proto__: v.string() }`, JavaScript makes the schema the prototype of the object instead of a member. */
function refuseOwnPrototype(entries: unknown): void {
  if (typeof entries !== "object" || entries === null) return;
  const prototype = Object.getPrototypeOf(entries);
  if (prototype !== Object.prototype && prototype !== null) throw new Error('a parameter cannot be called "__proto__"');
}

const ARKTYPE_OPTIONS = {
  fallback: {
    // By default, arktype's converter lists types that JSON does not have as "any value".
    ...Object.fromEntries(
      ["date", "domain", "proto", "unit", "symbolKey", "arrayObject", "arrayPostfix"].map((code) => [
        code,
        (context: object) => {
          throw new Error(`JSON has no type for ${code} ${JSON.stringify(context, replaceUnprintable)}`);
        },
      ]),
    ),
    // A scope can configure its own fallback for these, which would be listed but never enforced. This ignores it.
    ...Object.fromEntries(
      ["morph", "patternIntersection", "predicate"].map((code) => [code, ({ base }: { base: object }) => base]),
    ),
  },
};

function replaceUnprintable(_key: string, value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : value;
}
