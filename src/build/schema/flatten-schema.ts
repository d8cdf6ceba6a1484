/** Makes a converted JSON Schema plain, as listings need it: nothing refers, and what a host may miss is spelled out. */
import type { JsonSchema } from "../../core/model/tool-description.ts";
import { isRecord } from "./is-record.ts";

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions"];
const NAMES = ["$schema", "$id", "$anchor", "$dynamicAnchor"];
/** Keywords that hold a schema, a list of schemas, schemas by name (draft 2020-12, sections 10 and 11; validation, 8.5). */
const ONE = [
  ...["additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** `dependencies` is of draft 7: its lists of names hold no schema. */
const MAPS = ["dependencies", "dependentSchemas", "patternProperties", "properties"];
/** What they mean depends on what stands beside them. */
const HOLDS_SCHEMAS: ReadonlySet<string> = new Set([...ONE, ...LISTS, ...MAPS, "minContains", "maxContains"]);

/** Says nothing that a value could break (draft 2020-12, validation, sections 7 to 9). */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "format"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
]);

export function isAnnotation(keyword: string): boolean {
  return ANNOTATIONS.has(keyword) || keyword.startsWith("x-");
}

/** The schema, and every schema in it, changed: from the outside in. */
export function changeAll(schema: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  return isRecord(schema) ? withParts(change(schema), (part) => changeAll(part, change)) : schema;
}

/** The schema, with each schema that it holds changed. Names of members and data may look like keywords: they stay. */
function withParts(schema: JsonSchema, change: (part: unknown) => unknown): JsonSchema {
  const changed = Object.entries(schema).map(([keyword, value]) => {
    if (ONE.includes(keyword)) return [keyword, change(value)];
    if (LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(change)];
    if (!MAPS.includes(keyword) || !isRecord(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)]))];
  });
  return Object.fromEntries(changed);
}

/** @throws on a reference, and on a property that no object can carry */
export function flattenSchema(schema: JsonSchema): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (REFERENCES.includes(key)) {
      throw new Error(`it needs "${key}": recursive or shared schemas cannot be listed flat`);
    }
    // Names that nothing refers to any more.
    if (NAMES.includes(key)) continue;
    // Draft 4, which some hosts still read, forbids an empty list of names; all drafts forbid one of schemas.
    if ((key === "required" || key === "prefixItems") && Array.isArray(value) && value.length === 0) continue;
    if (ONE.includes(key)) result[key] = flatValue(value);
    else if (LISTS.includes(key) && Array.isArray(value)) result[key] = value.map(flatValue);
    else if (MAPS.includes(key) && isRecord(value)) result[key] = flatMembers(value);
    else if (value !== undefined) result[key] = JSON.parse(JSON.stringify(value));
  }
  const type = typeOfChoices(result);
  return type === undefined ? result : { type, ...result };
}

/**
 * The schema with its own definitions written out where they are referred to (`#/$defs/name`), and its anchors gone.
 *
 * @throws on a definition that refers to itself, and on a reference to anything else
 */
export function inlined(root: JsonSchema): JsonSchema {
  const definitions = { ...(root.definitions as object), ...(root.$defs as object) } as Record<string, unknown>;
  const write = (schema: unknown, within: readonly string[]): unknown => {
    if (!isRecord(schema)) return schema;
    const { $ref, $defs: _, definitions: __, $anchor: ___, ...rest } = schema;
    const here = withParts(rest, (part) => write(part, within));
    if ($ref === undefined) return here;
    const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String($ref))?.[1];
    if (name === undefined || definitions[name] === undefined || within.includes(name)) {
      throw new Error(`"$ref": "${$ref}" is recursive or leads elsewhere, and cannot be listed flat`);
    }
    return joined(write(definitions[name], [...within, name]), here);
  };
  return write(root, []) as JsonSchema;
}

/** What is said beside a reference holds together with what it refers to (draft 2020-12, 8.2.3.1). */
function joined(definition: unknown, beside: JsonSchema): JsonSchema {
  if (!isRecord(definition)) return definition === false ? { ...beside, not: {} } : beside;
  const isApart = Object.keys(beside).every(
    (key) => isAnnotation(key) || !(key in definition || HOLDS_SCHEMAS.has(key)),
  );
  if (isApart) return { ...definition, ...beside };
  const { type } = definition;
  const { allOf = [], ...rest } = beside;
  return { ...(type !== undefined && { type }), ...rest, allOf: [definition, ...(allOf as JsonSchema[])] };
}

/** `true` and `false` are schemas too. */
function flatValue(schema: unknown): unknown {
  return isRecord(schema) ? flattenSchema(schema) : schema;
}

function flatMembers(members: Record<string, unknown>): Record<string, unknown> {
  const prototype = Object.getPrototypeOf(members);
  // Converters that assign members one by one have made it the prototype instead.
  if (Object.hasOwn(members, "__proto__") || (prototype !== Object.prototype && prototype !== null)) {
    throw new Error('a parameter cannot be called "__proto__"');
  }
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, flatValue(schema)]));
}

/** The type that goes without saying: some hosts refuse a choice without one. */
function typeOfChoices(schema: JsonSchema): string | undefined {
  if (schema.type !== undefined) return undefined;
  const choices = schema.const !== undefined ? [schema.const] : schema.enum;
  if (!Array.isArray(choices)) return undefined;
  const [type, ...others] = new Set(choices.map((choice) => (choice === null ? "null" : typeof choice)));
  return others.length === 0 && type !== "object" ? type : undefined;
}

/**
 * An object schema with `properties`, as every listing wants for parameters; undefined for what is no object. Objects
 * in an intersection or a choice are listed as one: hosts refuse those words at the root, the call still obeys them.
 */
export function asObject(schema: JsonSchema): ObjectSchema | undefined {
  if (schema.type === "object")
    return { ...schema, properties: (schema.properties ?? {}) as ObjectSchema["properties"] };
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
  // What tells the objects apart: one literal each, together a list of choices.
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
