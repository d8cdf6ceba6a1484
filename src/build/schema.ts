/** Standard Schema → flat JSON Schema (draft 2020-12), and what keeps a schema out of a listing. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { JsonSchema } from "../core/describe.ts";

export type Converted = { readonly schema: JsonSchema } | { readonly error: string };

/** Argument names that callers use for the call itself (gateway seed, "Idempotency", "Attachments"). */
export const RESERVED_PARAMETERS: ReadonlySet<string> = new Set(["idempotency_key", "attachments"]);

interface StandardJsonSchema {
  readonly vendor: string;
  readonly validate: unknown;
  readonly jsonSchema?: Record<"input" | "output", (options: { target: string }) => JsonSchema>;
}

/** The Standard Schema part of a value, whatever library it comes from; undefined for anything else. */
export function standardOf(schema: unknown): StandardJsonSchema | undefined {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return undefined;
  const standard = (schema as Record<string, unknown>)["~standard"] as StandardJsonSchema | undefined;
  return typeof standard?.validate === "function" ? standard : undefined;
}

/** @param side which type of the schema: what goes into it, or what comes out */
export function toFlatJsonSchema(schema: unknown, side: "input" | "output"): Converted {
  const standard = standardOf(schema);
  if (standard === undefined) return { error: "it is not a Standard Schema (valibot, zod, arktype, …)" };
  let converted: JsonSchema;
  try {
    if (standard.vendor === "valibot") converted = fromValibot(schema, side);
    else if (standard.jsonSchema) converted = standard.jsonSchema[side]({ target: "draft-2020-12" });
    else return { error: `${standard.vendor} schemas of this version cannot give a JSON Schema` };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
  const { $schema: _, ...flat } = JSON.parse(JSON.stringify(converted)) as JsonSchema;
  const reference = findKeyword(flat, ["$ref", "$defs", "definitions", "$dynamicRef"]);
  if (reference) return { error: `it needs "${reference}": recursive or shared schemas cannot be listed flat` };
  return { schema: flat };
}

function fromValibot(schema: unknown, side: "input" | "output"): JsonSchema {
  return toJsonSchema(schema as Parameters<typeof toJsonSchema>[0], {
    target: "draft-2020-12",
    typeMode: side,
    errorMode: "throw",
    // A check that JSON Schema has no word for still holds when the tool is called. A type without one is an error.
    overrideAction: ({ errors, jsonSchema, valibotAction }) =>
      errors && valibotAction.kind === "validation" ? jsonSchema : undefined,
  }) as JsonSchema;
}

/** The first of some keywords that a schema uses, wherever it stands; names of properties are no keywords. */
function findKeyword(schema: unknown, keywords: readonly string[]): string | undefined {
  if (Array.isArray(schema)) {
    for (const item of schema) {
      const found = findKeyword(item, keywords);
      if (found) return found;
    }
    return undefined;
  }
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    if (keywords.includes(key)) return key;
    if (["const", "enum", "default", "examples"].includes(key)) continue;
    const within = key === "properties" || key === "patternProperties" ? Object.values(value as object) : value;
    const found = findKeyword(within, keywords);
    if (found) return found;
  }
  return undefined;
}
