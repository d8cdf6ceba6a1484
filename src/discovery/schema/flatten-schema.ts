/**
 * Flattens a converted JSON Schema for the listings: no references, and types that some clients need are spelled out.
 */

import { isRecord } from "../../core/lib/json.ts";
import type { JsonSchema } from "../../core/model/tool-description.ts";

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions"];
const NAMES = ["$schema", "$id", "$anchor", "$dynamicAnchor"];
/**
 * Keywords that hold a schema, a list of schemas, schemas by name (draft 2020-12, sections 10 and 11; validation, 8.5).
 */
const ONE = [
  ...["additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** `dependencies` is from draft 7. Its lists of names are not schemas. */
const MAPS = ["dependencies", "dependentSchemas", "patternProperties", "properties"];
/** Keywords whose meaning depends on their neighbours. */
const HOLDS_SCHEMAS: ReadonlySet<string> = new Set([...ONE, ...LISTS, ...MAPS, "minContains", "maxContains"]);

/** Keywords that no value can violate (draft 2020-12, validation, sections 7 to 9). */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "format"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
]);

/** Whether a keyword only describes, and never refuses a value. */
export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith("x-");
}

/** Applies a change to a schema and to every schema in it, from the outside in. */
export function changeAll(schema: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  return isRecord(schema) ? withParts(change(schema), (part) => changeAll(part, change)) : schema;
}

/** Applies a change to each direct subschema. Leaves property names and data alone, even if they look like keywords. */
export function withParts(schema: JsonSchema, change: (part: unknown) => unknown): JsonSchema {
  const changed = Object.entries(schema).map(([keyword, value]) => {
    if (ONE.includes(keyword)) return [keyword, change(value)];
    if (LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(change)];
    if (!MAPS.includes(keyword) || !isRecord(value)) return [keyword, value];
    refuseOwnPrototype(value);
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)]))];
  });
  return Object.fromEntries(changed);
}

/**
 * Removes ids and empty lists, and adds types that follow from a choice of values.
 *
 * @throws if there is a reference, or a property called `__proto__`
 */
export function flattenSchema(schema: JsonSchema): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (REFERENCES.includes(key)) {
      throw new Error(`it needs "${key}": recursive or shared schemas cannot be listed flat`);
    }
    // Without references, nothing uses these.
    if (NAMES.includes(key)) continue;
    // Draft 4, which some clients still use, forbids an empty `required`. All drafts forbid an empty list of schemas.
    if ((key === "required" || key === "prefixItems") && Array.isArray(value) && value.length === 0) continue;
    if (ONE.includes(key)) result[key] = flatValue(value);
    else if (LISTS.includes(key) && Array.isArray(value)) result[key] = value.map(flatValue);
    else if (MAPS.includes(key) && isRecord(value)) result[key] = flatMembers(value);
    else if (value !== undefined) result[key] = JSON.parse(JSON.stringify(value));
  }
  const [onlyType, ...otherTypes] = [result.type].flat();
  if (Array.isArray(result.type) && otherTypes.length === 0) result.type = onlyType;
  const type = result.type === undefined ? impliedType(result) : undefined;
  return withoutRepeatedChoices(type === undefined ? result : { type, ...result });
}

/** Some hosts refuse a union that has a choice twice. */
function withoutRepeatedChoices(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const choices = distinct(anyOf);
  if (choices.length === anyOf.length) return schema;
  return choices.length > 1 ? { ...schema, anyOf: choices } : joined(choices[0], rest);
}

/** The most levels that a schema may have: more than the 64 of a call's input need. */
export const MAX_DEPTH = 256;
/** The most schemas that may result from replacing references: each can double their number. */
const MAX_SCHEMAS = 100_000;

/**
 * Replaces each reference to a part of the schema itself (`#/$defs/name`) with that part, and removes definitions and
 * anchors.
 *
 * @throws if a part refers to itself, a reference points anywhere else, or the result is too large
 */
export function inlined(root: JsonSchema): JsonSchema {
  let written = 0;
  const write = (schema: unknown, within: readonly string[]): unknown => {
    if (!isRecord(schema)) return schema;
    if (++written > MAX_SCHEMAS || within.length > MAX_DEPTH) {
      throw new Error(`without references, it has over ${MAX_SCHEMAS} parts, or ${MAX_DEPTH} levels`);
    }
    const { $ref, $defs: _, definitions: __, $anchor: ___, ...rest } = schema;
    const here = withParts(rest, (part) => write(part, within));
    if ($ref === undefined) return here;
    const target = targetOf(String($ref), root);
    if (target === undefined || within.includes(String($ref))) {
      const problem = target === undefined ? "points nowhere in the schema" : "is recursive";
      throw new Error(`"$ref": "${$ref}" ${problem}, and cannot be listed flat`);
    }
    return joined(write(target, [...within, String($ref)]), here);
  };
  return write(root, []) as JsonSchema;
}

/** What a JSON Pointer in a fragment (RFC 6901, 6) points to. */
function targetOf(reference: string, root: JsonSchema): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  // zod does not escape the percent signs in its names.
  const spellings = [reference, decoded(reference)];
  for (const pointer of spellings) {
    const steps = pointer.split("/").slice(1);
    const target = steps.reduce<unknown>((part, step) => {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof part === "object" && part !== null && Object.hasOwn(part, name)
        ? (part as Record<string, unknown>)[name]
        : undefined;
    }, root);
    if (isRecord(target) || typeof target === "boolean") return target;
  }
  return undefined;
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** Keywords next to a reference apply together with those of its target (draft 2020-12, 8.2.3.1). */
function joined(definition: unknown, siblings: JsonSchema): JsonSchema {
  if (!isRecord(definition)) return definition === false ? { ...siblings, not: {} } : siblings;
  const canMerge = Object.keys(siblings).every(
    (key) => isAnnotation(key) || !(key in definition || HOLDS_SCHEMAS.has(key)),
  );
  if (canMerge) return { ...definition, ...siblings };
  const { type } = definition;
  const { allOf = [], ...rest } = siblings;
  return { ...(type !== undefined && { type }), ...rest, allOf: [definition, ...(allOf as JsonSchema[])] };
}

/** `true` and `false` are schemas too. */
function flatValue(schema: unknown): unknown {
  return isRecord(schema) ? flattenSchema(schema) : schema;
}

/** A converter that assigns members one by one would set the prototype instead of a member `__proto__`. */
function refuseOwnPrototype(members: object): void {
  const prototype = Object.getPrototypeOf(members);
  if (Object.hasOwn(members, "__proto__") || (prototype !== Object.prototype && prototype !== null)) {
    throw new Error('a parameter cannot be called "__proto__"');
  }
}

function flatMembers(members: Record<string, unknown>): Record<string, unknown> {
  refuseOwnPrototype(members);
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, flatValue(schema)]));
}

/** The type of a schema that has properties or choices but no type. Some clients refuse a schema without one. */
function impliedType(schema: JsonSchema): string | undefined {
  if (isRecord(schema.properties)) return "object";
  const choices = schema.const !== undefined ? [schema.const] : schema.enum;
  if (!Array.isArray(choices)) return undefined;
  const [type, ...others] = new Set(choices.map((choice) => (choice === null ? "null" : typeof choice)));
  return others.length === 0 && type !== "object" ? type : undefined;
}

/**
 * Converts a schema to an object schema with `properties`, which every listing needs for parameters. Objects in an
 * intersection or a choice become one object, because clients refuse `allOf`, `anyOf` and `oneOf` at the root; calls
 * are still checked against the original.
 *
 * @returns undefined if the schema does not describe an object
 */
export function asObject(schema: JsonSchema): ObjectSchema | undefined {
  if (schema.type === "object") {
    return { ...schema, properties: (schema.properties ?? {}) as ObjectSchema["properties"] };
  }
  const { allOf, anyOf, oneOf, ...rest } = schema;
  const combined = allOf ?? anyOf ?? oneOf;
  if (!Array.isArray(combined)) return undefined;
  const parts: ObjectSchema[] = [];
  for (const part of combined) {
    const object = asObject(part);
    if (object === undefined) return undefined;
    parts.push(object);
  }
  const names = [...new Set(parts.flatMap(({ properties }) => Object.keys(properties)))];
  const isRequired = (name: string) => {
    const requires = ({ required }: ObjectSchema) => required?.includes(name) ?? false;
    return allOf ? parts.some(requires) : parts.every(requires);
  };
  const required = names.filter(isRequired);
  const properties = Object.fromEntries(
    names.map((name) => {
      const meanings = parts.flatMap((part) =>
        Object.hasOwn(part.properties, name) ? [part.properties[name] ?? {}] : [],
      );
      return [name, allOf ? inAll(meanings) : inAny(meanings)];
    }),
  );
  return { type: "object", ...rest, properties, ...(required.length > 0 && { required }) };
}

export type ObjectSchema = JsonSchema & {
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
};

function inAll(meanings: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = distinct(meanings);
  return others.length === 0 ? first : { ...described(meanings), allOf: [first, ...others] };
}

function inAny(meanings: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = distinct(meanings);
  if (others.length === 0) return first;
  // A discriminator has one literal in each object. Together they are an enum.
  const { type } = first;
  const choices = [...new Set(meanings.map((meaning) => meaning.const))];
  if (meanings.every((meaning) => meaning.const !== undefined && meaning.type === type)) {
    return { ...(type !== undefined && { type }), ...described(meanings), enum: choices };
  }
  return { ...described(meanings), anyOf: [first, ...others] };
}

function described(schemas: readonly JsonSchema[]): JsonSchema {
  const description = schemas.find((schema) => schema.description !== undefined)?.description;
  return description === undefined ? {} : { description };
}

function distinct(schemas: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}
