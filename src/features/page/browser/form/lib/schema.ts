/** Reads JSON Schemas: draft 2020-12, and what is common of earlier drafts. Nothing here throws. */
import { isRecord } from "../../../../../client/lib/json.ts";
import type { JsonSchema } from "../../lib/model.ts";

export type { JsonSchema };

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Deeper schemas count as {}, which allows anything. */
const MAX_DEPTH = 100;
/** The most schemas that are compared with a value. After that, it is taken to fit: the server checks it anyway. */
const MAX_COMPARED = 1_000;

/**
 * What schemas were resolved to, by the root that their references point into. Without this, forty schemas that each
 * refer to the next one twice would take longer than anyone waits.
 */
const resolved = new WeakMap<JsonSchema, WeakMap<JsonSchema, JsonSchema>>();

/** @returns the schema with its `$ref` and `allOf` merged into it; {}, which allows anything, if it is not an object */
export function resolve(schema: unknown, root: JsonSchema, depth = 0): JsonSchema {
  if (!isRecord(schema) || depth > MAX_DEPTH) return {};
  const { $ref, allOf, ...own } = schema;
  if ($ref === undefined && allOf === undefined) return schema;
  const known = resolved.get(root) ?? new WeakMap<JsonSchema, JsonSchema>();
  resolved.set(root, known);
  const found = known.get(schema);
  if (found) return found;
  // A schema that refers straight back to itself adds nothing.
  known.set(schema, {});
  const parts = [...listOf(allOf), ...(typeof $ref === "string" ? [target($ref, root)] : [])];
  const whole = parts.reduce<JsonSchema>((sum, part) => merge(resolve(part, root, depth + 1), sum), own);
  known.set(schema, whole);
  return whole;
}

/** What a reference within the document points to (RFC 6901); undefined for any other. */
export function target(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith("#")) return undefined;
  try {
    const steps = decodeURIComponent(reference.slice(1)).split("/").slice(1);
    return steps
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (at, step) => (typeof at === "object" && at && Object.hasOwn(at, step) ? at[step as never] : undefined),
        root,
      );
  } catch {
    return undefined;
  }
}

/** Both schemas in one; the second wins where they differ. */
export function merge(first: JsonSchema, second: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...first, ...second };
  if (isRecord(first.properties) && isRecord(second.properties))
    merged.properties = { ...first.properties, ...second.properties };
  if (first.required && second.required)
    merged.required = [...new Set([...listOf(first.required), ...listOf(second.required)])];
  return merged;
}

const IMPLIED = {
  object: ["properties", "additionalProperties", "patternProperties"],
  array: ["items", "prefixItems"],
  string: ["format", "pattern", "minLength", "maxLength"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
};

/** `string`; undefined if several types are allowed, or any. */
export function typeOf(schema: JsonSchema): string | undefined {
  const { type } = schema;
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return type.length === 1 ? textOf(type[0]) : undefined;
  return Object.entries(IMPLIED).find(([, keywords]) => keywords.some((keyword) => keyword in schema))?.[0];
}

export interface Choice {
  readonly value: unknown;
  readonly label: string;
}

/** The values of `enum`, of `const`, or of alternatives that are one value each; undefined if there are none. */
export function choicesOf(schema: JsonSchema, root: JsonSchema): readonly Choice[] | undefined {
  const found = namedValues(schema, root)?.map(({ value, title }) => ({ value, label: textOf(title) || plain(value) }));
  const times = new Map<string, number>();
  for (const { label } of found ?? []) times.set(label, (times.get(label) ?? 0) + 1);
  return found?.map(({ value, label }) =>
    (times.get(label) ?? 0) > 1 ? { value, label: `${label} (${JSON.stringify(value)})` } : { value, label },
  );
}

function namedValues(schema: JsonSchema, root: JsonSchema): { value: unknown; title: unknown }[] | undefined {
  if ("const" in schema) return [{ value: schema.const, title: undefined }];
  if (schema.type === "null") return [{ value: null, title: undefined }];
  const values = listOf(schema.enum);
  // enumNames: titles in MCP before 2025-11-25.
  if (values.length > 0) return values.map((value, index) => ({ value, title: listOf(schema.enumNames)[index] }));
  const parts = listOf(schema.oneOf ?? schema.anyOf).map((part) => resolve(part, root));
  if (parts.length === 0 || !parts.every((part) => "const" in part)) return undefined;
  return parts.map((part) => ({ value: part.const, title: part.title }));
}

/** A value to show: texts as they are, anything else as JSON. */
export function plain(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

/** The "something" of a schema for "something or null"; undefined for any other schema. */
export function withoutNull(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const { oneOf, anyOf, ...own } = schema;
  if (Array.isArray(own.type)) {
    const rest = own.type.filter((type) => type !== "null");
    return rest.length > 0 && rest.length < own.type.length ? { ...schema, type: rest } : undefined;
  }
  const parts = listOf(oneOf ?? anyOf).map((part) => resolve(part, root));
  const rest = parts.filter((part) => part.type !== "null" && part.const !== null);
  if (rest.length === 0 || rest.length === parts.length) return undefined;
  return rest.length === 1 ? merge(rest[0] as JsonSchema, own) : { ...own, anyOf: rest };
}

/** The alternatives of `oneOf`, `anyOf` or several types, each a whole schema; undefined if there are none. */
export function variantsOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] | undefined {
  const { oneOf, anyOf, ...own } = schema;
  if (Array.isArray(own.type) && own.type.length > 1)
    return own.type.map((type) => ({ ...own, type, title: undefined, description: undefined }));
  const parts = listOf(oneOf ?? anyOf).map((part) => resolve(part, root));
  // Alternatives without properties, such as "at least one of these is required", change no field.
  if (parts.length === 0 || (own.properties && !parts.some((part) => part.properties))) return undefined;
  const { title: _, description: __, default: ___, examples: ____, ...common } = own;
  return parts.map((part) => merge(common, part));
}

/** Whether two JSON values are equal. Members may be in any order. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && same(a[name as never], b[name as never]))
  );
}

/** Whether the value has the types and members of the schema: this tells alternatives apart. Ranges are not checked. */
export function fits(value: unknown, unresolved: unknown, root: JsonSchema, steps = { left: MAX_COMPARED }): boolean {
  // Alternatives may refer to themselves.
  steps.left -= 1;
  if (steps.left < 0) return true;
  const inside = (value: unknown, schema: unknown) => fits(value, schema, root, steps);
  const schema = resolve(unresolved, root);
  const choices = choicesOf(schema, root);
  if (choices) return choices.some((choice) => same(choice.value, value));
  const variants = variantsOf(schema, root);
  if (variants) return variants.some((variant) => inside(value, variant));
  const type = typeOf(schema);
  if (type === undefined) return true;
  if (Array.isArray(value)) {
    const first = listOf(schema.prefixItems);
    return type === "array" && value.every((item, index) => inside(item, first[index] ?? schema.items));
  }
  if (isRecord(value)) {
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const isKnown = (name: string) => Object.hasOwn(properties, name);
    return (
      type === "object" &&
      listOf(schema.required).every((name) => Object.hasOwn(value, textOf(name))) &&
      (schema.additionalProperties !== false || Object.keys(value).every(isKnown)) &&
      Object.entries(value).every(([name, member]) =>
        inside(member, isKnown(name) ? properties[name] : schema.additionalProperties),
      )
    );
  }
  return type === (value === null ? "null" : typeof value) || (type === "integer" && Number.isInteger(value));
}

/**
 * The defaults of a schema's properties, for the `initial` of a form that sends them: clients of MCP fill in the
 * defaults of questions (2026-07-28, client/elicitation, Requested Schema).
 */
export function defaultsOf(schema: JsonSchema): Record<string, unknown> {
  const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {});
  return Object.fromEntries(
    properties.flatMap(([name, property]) =>
      isRecord(property) && property.default !== undefined ? [[name, property.default]] : [],
    ),
  );
}
