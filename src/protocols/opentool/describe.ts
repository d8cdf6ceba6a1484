/**
 * Describes a tool's parameters and return value in OpenTool's format (description document, Function). Rendered on the
 * first request, from the schemas of the other listings. Rendered at build time, it would double the size of the
 * listings in the script, which is parsed at every start.
 */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";

/** OpenTool's Schema, with six types and few keywords. Published clients drop a function whose schema has others. */
interface Schema {
  type: "boolean" | "integer" | "number" | "string" | "array" | "object";
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  required?: string[];
}

const TYPES = ["boolean", "integer", "number", "string", "array", "object"] as const;

/** Returns `parameters` and `return` of a function in the description document. */
export function describe(tool: Pick<Described, "input" | "output">): Record<string, unknown> {
  const required = (tool.input.required ?? []) as string[];
  return {
    parameters: Object.entries(tool.input.properties).map(([name, property]) => ({
      name,
      description: property.description,
      schema: toSchema(property),
      required: required.includes(name),
    })),
    // A result that is not an object is sent as {"value": …}, so the return value has the name `value`.
    return:
      tool.output === null
        ? null
        : { name: "value", description: tool.output.description, schema: toSchema(tool.output) },
  };
}

function toSchema(schema: JsonSchema): Schema {
  const description = schema.description as string | undefined;
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives) {
    // OpenTool has no unions: use the first alternative that is not null.
    const first = alternatives.find((alternative) => alternative.type !== "null") ?? {};
    return toSchema({ ...first, ...(description !== undefined && { description }) });
  }
  const choices = choicesOf(schema);
  const type = typeOf(schema, choices);
  const fitting = choices?.filter((choice) => fits(choice, type));
  return {
    type,
    ...(description !== undefined && { description }),
    ...(type === "object" && objectParts(schema)),
    ...(type === "array" && { items: toSchema(itemsOf(schema)) }),
    // Published clients throw if a choice does not have the declared type.
    ...(fitting && fitting.length > 0 && fitting.length === choices?.length && { enum: fitting }),
  };
}

function objectParts(schema: JsonSchema): Pick<Schema, "properties" | "required"> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = schema.required as string[] | undefined;
  return {
    properties: Object.fromEntries(properties.map(([name, property]) => [name, toSchema(property)])),
    ...(required && required.length > 0 && { required }),
  };
}

/**
 * The schema of an array's items, which is never empty: hosts reject an array schema without `items`. OpenTool has no
 * tuples, so the first item stands for all, like the first alternative of a union above.
 */
function itemsOf({ prefixItems, items }: JsonSchema): JsonSchema {
  const [first = items] = (prefixItems ?? []) as unknown[];
  // `true` and `false` are also schemas.
  return typeof first === "object" && first !== null ? (first as JsonSchema) : {};
}

function choicesOf(schema: JsonSchema): unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  const choices = schema.enum as unknown[] | undefined;
  return choices?.filter((choice) => choice !== null);
}

function typeOf(schema: JsonSchema, choices: unknown[] | undefined): Schema["type"] {
  const named = [schema.type].flat().find((type) => TYPES.some((known) => known === type));
  if (named) return named as Schema["type"];
  const first = choices?.[0];
  if (typeof first === "string" || typeof first === "number" || typeof first === "boolean") {
    return typeof first as "string" | "number" | "boolean";
  }
  return "object";
}

function fits(choice: unknown, type: Schema["type"]): boolean {
  if (type === "integer") return Number.isInteger(choice);
  if (type === "array") return Array.isArray(choice);
  return typeof choice === type;
}
