/**
 * A tool's parameters and return as OpenTool describes them (description document, Function). Rendered from what other
 * listings say when it is first asked for: it would be as long as they are together, in a script read at every start.
 */
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";

/** OpenTool's Schema: one of six types, and few words about it. Published clients drop everything else's function. */
interface Schema {
  type: "boolean" | "integer" | "number" | "string" | "array" | "object";
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  required?: string[];
}

const TYPES = ["boolean", "integer", "number", "string", "array", "object"] as const;

export function describe(tool: Pick<Described, "input" | "output">): Record<string, unknown> {
  const required = (tool.input.required ?? []) as string[];
  return {
    parameters: Object.entries(tool.input.properties).map(([name, property]) => ({
      name,
      description: property.description,
      schema: toSchema(property),
      required: required.includes(name),
    })),
    // Whatever is no object travels as {"value": …}, so the Return is called so.
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
    // No unions here: the first alternative that is not null stands for all of them.
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
    // Published clients throw on a choice that is not of the type.
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
 * Hosts refuse a list that does not say what it is of. No tuples here: the first item stands for all of them, as the
 * first alternative does above.
 */
function itemsOf({ prefixItems, items }: JsonSchema): JsonSchema {
  const [first = items] = (prefixItems ?? []) as unknown[];
  // `true` and `false` are schemas too.
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
