/** Converts a Standard Schema to flat JSON Schema (draft 2020-12), with the converter of the library that made it. */
import { toJsonSchema } from "@valibot/to-json-schema";
import { nestsDeeperThan } from "../../core/lib/json.ts";
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { changeAll, flattenSchema, inlined, MAX_DEPTH } from "./flatten-schema.ts";
import { flaggedPatterns, isPattern } from "./patterns.ts";
import { Unlistable } from "./unlistable.ts";
import { sideOf } from "./valibot-to-json-schema.ts";
import { zodOptions } from "./zod-to-json-schema.ts";

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
 * @param side whether to describe the values that go into the schema, or those that come out. Parts of an input whose
 *   value the schema changes are marked (changed.ts)
 * @throws {Unlistable} if JSON Schema has no words for a part of it
 * @throws {Error} with a message for the schema's author, if it cannot be listed for another reason
 */
export function toFlatJsonSchema(schema: unknown, side: "input" | "output"): JsonSchema {
  const standard = standardOf(schema);
  if (standard === undefined) throw new Error("it is not a Standard Schema (valibot, zod, arktype, …)");
  const { vendor } = standard;
  // The author wrote it with `jsonSchema()`.
  if (vendor === OWN_VENDOR) {
    if (nestsDeeperThan(schema, MAX_DEPTH)) throw new Error(`it is nested over ${MAX_DEPTH} levels deep`);
    return flattenSchema(inlined(copyOfOwn(schema)));
  }
  const written = vendor === "valibot" ? fromValibot(schema, side) : fromOthers(schema, side);
  return withoutBadPatterns(flattenSchema(inlined(written)), schema);
}

function fromOthers(schema: unknown, side: "input" | "output"): JsonSchema {
  const { vendor, jsonSchema } = standardOf(schema) as StandardJsonSchema;
  if (!jsonSchema) throw new Error(`${vendor} schemas of this version cannot give a JSON Schema`);
  const libraryOptions = { arktype: ARKTYPE_OPTIONS, zod: zodOptions(side) }[vendor];
  const convert = (part: StandardJsonSchema) =>
    part.jsonSchema?.[side]({ target: "draft-2020-12", ...(libraryOptions && { libraryOptions }) }) as JsonSchema;
  try {
    return convert(standardOf(schema) as StandardJsonSchema);
  } catch (error) {
    if (vendor !== "arktype" || !(error instanceof Unlistable)) throw error;
    // arktype does not say which member it was.
    throw new Unlistable(error.message, error.type, pathIn(schema as ArktypeObject, convert));
  }
}

interface ArktypeObject {
  readonly props?: readonly { readonly key: PropertyKey; readonly value: ArktypeObject }[];
}

/** The names that lead to the first member of an arktype schema that cannot be converted. */
function pathIn(schema: ArktypeObject, convert: (part: StandardJsonSchema) => unknown): string[] {
  for (const { key, value } of membersOf(schema)) {
    try {
      convert(standardOf(value) as StandardJsonSchema);
    } catch {
      return [String(key), ...pathIn(value, convert)];
    }
  }
  return [];
}

function membersOf(schema: ArktypeObject): NonNullable<ArktypeObject["props"]> {
  try {
    return schema.props ?? [];
  } catch {
    // Types without members throw.
    return [];
  }
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

/** What an author wrote with `jsonSchema()`; undefined for schemas of libraries. */
export function ownSchema(schema: unknown): JsonSchema | undefined {
  return standardOf(schema)?.vendor === OWN_VENDOR ? copyOfOwn(schema) : undefined;
}

function copyOfOwn(schema: unknown): JsonSchema {
  return JSON.parse(JSON.stringify((schema as { schema: JsonSchema }).schema));
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

function fromValibot(original: unknown, side: "input" | "output"): JsonSchema {
  refuseOwnPrototype((original as { entries?: unknown }).entries);
  const { schema, pathTo } = sideOf(original, side);
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
      // If the names of a record are not any string but, for example, a choice, the converter complains, but still
      // lists it.
      if (errors && valibotSchema.type === "record") return jsonSchema;
      if (errors) throw new Unlistable(errors.join(" "), valibotSchema.type, pathTo(valibotSchema));
      // A default that is computed for each call cannot be listed.
      if (typeof (valibotSchema as { default?: unknown }).default !== "function") return undefined;
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
        (context: ArktypeContext) => {
          const type = context.domain ?? context.proto?.name ?? code;
          throw new Unlistable(`JSON has no type for ${type}`, type.toLowerCase(), []);
        },
      ]),
    ),
    // A scope can configure its own fallback for these, which would be listed but never enforced. This ignores it.
    ...Object.fromEntries(
      ["morph", "patternIntersection", "predicate"].map((code) => [code, ({ base }: { base: object }) => base]),
    ),
  },
};

interface ArktypeContext {
  readonly domain?: string;
  readonly proto?: { readonly name: string };
}
