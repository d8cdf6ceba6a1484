/** Describes a tool's parameters and result: flat JSON Schema, every parameter with a description. */

import { isRecord } from "../../core/lib/json.ts";
import type { StandardSchema } from "../../core/model/schema.ts";
import type { Described, JsonSchema } from "../../core/model/tool-description.ts";
import { cureOf, wordsOf } from "./cures.ts";
import { asObject, changeAll } from "./flatten-schema.ts";
import { checksNothing, OWN_VENDOR, standardOf, toFlatJsonSchema } from "./schema.ts";
import { Unlistable } from "./unlistable.ts";

/** Argument names that callers use for the call itself (docs/once.md, docs/files.md, docs/data.md, docs/tasks.md). */
const RESERVED_PARAMETERS: ReadonlySet<string> = new Set([
  "idempotency_key",
  "attachments",
  "host_files",
  "session",
  "task_id",
]);

type Complain = (problem: string, fix: string) => void;

/**
 * Describes what callers may send. Parts whose value the schema changes are marked (changed.ts).
 *
 * @param reserved names that no parameter may have; none for an event, whose arguments are not those of a call
 * @returns undefined after a complaint that leaves nothing to describe; no schema means no parameters
 */
export function describeInput(
  schema: unknown,
  complain: Complain,
  reserved: ReadonlySet<string> = RESERVED_PARAMETERS,
): Described["input"] | undefined {
  if (schema === undefined) return { type: "object", properties: {} };
  const converted = convert(schema, "input", complain);
  if (converted === undefined) return undefined;
  const root = asObject(converted);
  const words = wordsOf(standardOf(schema)?.vendor);
  if (root === undefined) {
    complain("its input is not an object of parameters", `write input: ${words.object}`);
    return undefined;
  }
  const properties: Record<string, JsonSchema> = {};
  for (const [name, property] of Object.entries(root.properties)) {
    if (reserved.has(name)) {
      complain(`the parameter "${name}" is reserved for the call itself`, "give the parameter another name");
    }
    const description = descriptionOf(property);
    if (description === undefined) {
      complain(`the parameter "${name}" has no description`, `write ${words.described(name)}`);
    }
    properties[name] = { ...property, description };
  }
  const { type, properties: _, ...rest } = root;
  // `properties` comes before anything nested: a listing that adds a parameter inserts it into the first `properties`.
  return { type, properties, ...rest };
}

/** The description of a property, or of its only type besides null. */
function descriptionOf(property: JsonSchema): string | undefined {
  const { description, anyOf } = property;
  if (typeof description === "string") return description.trim() === "" ? undefined : description;
  const types = Array.isArray(anyOf) ? (anyOf as JsonSchema[]).filter(({ type }) => type !== "null") : [];
  return types.length === 1 ? descriptionOf(types[0] as JsonSchema) : undefined;
}

/** @returns null for no output, `{}` for any output (no schema), undefined after a complaint */
export function describeOutput(schema: unknown, complain: Complain): JsonSchema | null | undefined {
  if (schema === null) return null;
  if (schema === undefined) return {};
  const exact = convert(schema, "output", complain);
  if (exact === undefined) return undefined;
  const converted = promised(exact, schema);
  if (Object.keys(converted).length > 0 && !checksNothing(schema) && admitsUndefined(schema)) {
    const { nullable } = wordsOf(standardOf(schema)?.vendor);
    const fix = `write a schema with null in its place, such as ${nullable}, or output: null where it returns nothing`;
    complain("its output may be undefined, which JSON cannot express", fix);
    return undefined;
  }
  if (converted.type === "object") return { ...converted, properties: converted.properties ?? {} };
  // A choice of objects is an object too. With that type, protocols pass the result on without wrapping it.
  return asObject(converted) === undefined ? converted : { type: "object", properties: {}, ...converted };
}

/** Describes the data of an event. @returns undefined after a complaint */
export function describePayload(schema: unknown, complain: Complain): JsonSchema | undefined {
  const exact = convert(schema, "output", complain, "payload");
  if (exact === undefined) return undefined;
  const root = asObject(promised(exact, schema));
  if (root === undefined) {
    complain("its payload is not an object", `write payload: ${wordsOf(standardOf(schema)?.vendor).object}`);
  }
  return root;
}

/** The listed schema of a value that the server sends: only rules that its library, or the compiled check, enforces. */
function promised(exact: JsonSchema, schema: unknown): JsonSchema {
  // The server does not check the formats in an author's own JSON Schema, but clients do.
  const isOwn = standardOf(schema)?.vendor === OWN_VENDOR;
  return changeAll(exact, (part) => {
    const { format: _, ...rest } = part;
    return withoutFalseAlarms(isOwn ? rest : part);
  }) as JsonSchema;
}

/** Formats that clients check more strictly than the libraries do: zod's `url()` accepts https://example.com/Köln. */
const STRICTER_AT_CLIENTS: readonly unknown[] = ["uri", "time", "duration", "email", "ipv6"];

/**
 * Removes rules for which the official MCP clients reject results that the tool's own library accepts: formats (see
 * above; zod lists a pattern for `ipv6()` that it does not check itself), fractions in `multipleOf` (19.99 is not an
 * exact multiple of 0.01), and `items` next to `prefixItems`, which their version 1 applies to all items.
 */
function withoutFalseAlarms(schema: JsonSchema): JsonSchema {
  const { format, pattern, multipleOf, items, ...rest } = schema;
  return {
    ...rest,
    ...(pattern !== undefined && format !== "ipv6" && { pattern }),
    ...(format !== undefined && !STRICTER_AT_CLIENTS.includes(format) && { format }),
    ...(Number.isInteger(multipleOf) && { multipleOf }),
    ...(items !== undefined && rest.prefixItems === undefined && { items }),
  };
}

/** Whether undefined is a valid output. The listed schema does not tell: libraries leave it out. */
function admitsUndefined(schema: unknown): boolean {
  try {
    const verdict = (schema as StandardSchema)["~standard"].validate(undefined);
    // The verdict of an asynchronous schema is not known here. Its values are checked against the listed schema at each
    // call.
    return "value" in verdict && verdict.issues === undefined && verdict.value === undefined;
  } catch {
    return false;
  }
}

/** Keywords that a plain JSON Schema has; any other object is a mistake of another kind. */
const JSON_SCHEMA = ["$schema", "type", "properties", "anyOf", "oneOf", "allOf", "enum", "const", "$ref"];

/** The fix for a schema of zod 3, which zod 4 also exports as "zod/v3". */
const ZOD_4 = 'install zod 4, and import { z } from "zod"';

function isPlainJsonSchema(schema: unknown): boolean {
  return isRecord(schema) && JSON_SCHEMA.some((word) => ["string", "object"].includes(typeof schema[word]));
}

function convert(
  schema: unknown,
  side: "input" | "output",
  complain: Complain,
  member: "input" | "output" | "payload" = side,
): JsonSchema | undefined {
  if (standardOf(schema) === undefined) {
    const fix = {
      input: "write input: v.object({ … }), or leave it out if the tool takes no parameters",
      output: "write a schema, null for no output, or leave it out for any JSON value",
      payload: "write payload: v.object({ … })",
    }[member];
    if (isPlainJsonSchema(schema)) {
      const define = member === "payload" ? "defineEvent" : "defineTool";
      const own = `write ${member}: jsonSchema({ … }), and import { ${define}, jsonSchema } from "#tool"`;
      complain(`its ${member} is a plain JSON Schema`, own);
    } else complain(`its ${member} is not a schema (Standard Schema: valibot, zod, arktype, …)`, fix);
    return undefined;
  }
  try {
    return toFlatJsonSchema(schema, side);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const nothing = member === "output" ? "; write output: null if the tool returns nothing" : "";
    const vendor = standardOf(schema)?.vendor;
    let fix = "use types that JSON has, inline";
    if (error instanceof Unlistable) fix = cureOf(error.type, vendor);
    if (reason.includes("of this version")) fix = vendor === "zod" ? ZOD_4 : `install a newer ${vendor}`;
    if (reason.includes("__proto__")) fix = "give the parameter another name";
    // valibot's converter expects the value of `includes` to be a string, also for an array.
    if (reason.includes("string.replace"))
      fix = "for a list, write v.check((list) => list.includes(…)) instead of v.includes(…)";
    const at = error instanceof Unlistable && error.path.length > 0 ? `"${error.path.join(".")}": ` : "";
    complain(`its ${member} cannot become a JSON Schema: ${at}${reason}`, fix + nothing);
    return undefined;
  }
}
