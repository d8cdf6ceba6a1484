/** Writes a JSON Schema in valibot, as far as valibot has words for it. A fork that tests make has a copy of this file. */
import * as v from "valibot";

type JsonSchema = Readonly<Record<string, unknown>>;
type Schema = v.GenericSchema<unknown, unknown>;

/** @param schema without references */
export function valibotOf(schema: JsonSchema | boolean): Schema {
  if (schema === true) return v.any();
  if (schema === false) return v.never();
  const made = plain(schema);
  return typeof schema.description === "string" ? (v.pipe(made, v.description(schema.description)) as Schema) : made;
}

function plain(schema: JsonSchema): Schema {
  const {
    type,
    enum: choices,
    anyOf,
    oneOf,
    allOf,
  } = schema as {
    type?: string | string[];
    enum?: unknown[];
    anyOf?: JsonSchema[];
    oneOf?: JsonSchema[];
    allOf?: JsonSchema[];
  };
  if (Array.isArray(type)) return v.union(type.map((one) => plain({ ...schema, type: one })));
  if (schema.const !== undefined) return v.literal(schema.const as string);
  if (choices?.every((choice) => typeof choice === "string" || typeof choice === "number")) {
    return v.picklist(choices as string[]);
  }
  if (choices) return v.union(choices.map((choice) => (choice === null ? v.null() : v.literal(choice as string))));
  const union = anyOf ?? oneOf;
  if (union) return v.union(union.map(valibotOf));
  if (allOf) return v.intersect(allOf.map(valibotOf));
  const rules = Object.entries(RULES).flatMap(([keyword, rule]) =>
    schema[keyword] === undefined ? [] : [rule(schema[keyword] as never)],
  );
  const piped = (base: Schema) => (rules.length > 0 ? (v.pipe(base, ...(rules as never[])) as Schema) : base);
  switch (type) {
    case "string":
      return piped(v.string());
    case "integer":
      return v.pipe(piped(v.number()) as v.GenericSchema<number>, v.integer()) as Schema;
    case "number":
      return piped(v.number());
    case "boolean":
      return v.boolean();
    case "null":
      return v.null();
    case "array":
      return piped(v.array(valibotOf((schema.items as JsonSchema | undefined) ?? true)));
    case "object":
      return object(schema);
    default:
      return v.any();
  }
}

const RULES: Record<string, (value: never) => unknown> = {
  minLength: (value: number) => v.minLength(value),
  maxLength: (value: number) => v.maxLength(value),
  pattern: (value: string) => v.regex(new RegExp(value, "u")),
  minimum: (value: number) => v.minValue(value),
  maximum: (value: number) => v.maxValue(value),
  exclusiveMinimum: (value: number) => v.gtValue(value),
  exclusiveMaximum: (value: number) => v.ltValue(value),
  multipleOf: (value: number) => v.multipleOf(value),
  minItems: (value: number) => v.minLength(value),
  maxItems: (value: number) => v.maxLength(value),
};

function object({ properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema): Schema {
  const names = required as readonly string[];
  const entries = Object.entries(properties as Record<string, JsonSchema>).map(([name, property]) => {
    const made = valibotOf(property);
    return [name, names.includes(name) ? made : v.optional(made)];
  });
  const members = Object.fromEntries(entries);
  if (additionalProperties === false) return v.strictObject(members);
  if (typeof additionalProperties !== "object" || additionalProperties === null) return v.object(members);
  const rest = valibotOf(additionalProperties as JsonSchema);
  if (entries.length > 0) return v.objectWithRest(members, rest);
  const key = propertyNames === undefined ? v.string() : valibotOf(propertyNames as JsonSchema);
  return v.record(key as v.GenericSchema<string, string>, rest);
}
