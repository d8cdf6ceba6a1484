/** Checks an input against a tool's schema (JSON Schema 2020-12), and says in words all that is wrong. Pure. */
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { closest } from "../../../discovery/lib/spelling.ts";
import type { JsonSchema } from "../protocols/connection.ts";
import { asSchema } from "../protocols/lib.ts";
import { typeInWords } from "./describe.ts";

export interface Problem {
  /** Such as `cake`, or `address.street`. Empty for the input as a whole. */
  readonly path: string;
  /** The end of a sentence that begins with the path: "is missing". */
  readonly what: string;
}

/** Keywords whose errors only say that a value inside is wrong. That value has an error of its own. */
const WRAPPERS = new Set([
  ...["properties", "patternProperties", "items", "prefixItems", "allOf", "$ref", "then", "else", "dependentSchemas"],
  ...["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "if"],
]);

/** @returns everything that is wrong, in the order of the schema; nothing if the input fits */
export function checkInput(input: unknown, schema: JsonSchema): Problem[] {
  const problems = problemsOf(input, schema);
  const unknown = unknownNames(input, schema).filter(({ path }) => !problems.some((one) => one.path === path));
  return [...problems, ...unknown];
}

/**
 * Checks a single value.
 *
 * @returns what is wrong with it, such as "must be 1 or more, and is 0" or "street is missing"
 */
export function checkValue(value: unknown, schema: JsonSchema): string[] {
  return problemsOf(value, schema).map(({ path, what }) => (path === "" ? what : `${path} ${what}`));
}

/** The schema of a parameter, by its path; empty if there is none. */
export function schemaAt(path: readonly string[], schema: JsonSchema): JsonSchema {
  return path.reduce<JsonSchema>((at, name) => {
    const properties = asSchema(at.properties);
    return asSchema(Object.hasOwn(properties, name) ? properties[name] : /^\d+$/.test(name) ? at.items : undefined);
  }, schema);
}

function errorsOf(value: unknown, schema: JsonSchema): OutputUnit[] {
  try {
    const { errors } = new Validator(schema as Schema, "2020-12", false).validate(value);
    // What is wrong with each alternative of a union is not what is wrong with the value.
    const isInner = ({ keywordLocation }: OutputUnit) => /\/(anyOf|oneOf|not|contains)\//.test(keywordLocation);
    return errors.filter((error) => !WRAPPERS.has(error.keyword) && !isInner(error));
  } catch {
    // The schema cannot be used, for example because it is a part that refers to the rest. The server checks the input.
    return [];
  }
}

function problemsOf(input: unknown, schema: JsonSchema): Problem[] {
  return errorsOf(input, schema).flatMap((error) => problemOf(error, input, schema) ?? []);
}

function problemOf(error: OutputUnit, input: unknown, schema: JsonSchema): Problem | undefined {
  const path = partsOf(error.instanceLocation);
  const at = schemaAt(path, schema);
  const value = valueAt(path, input);
  if (error.keyword === "required") {
    const [, name = "?"] = /property "(.*)"\.$/s.exec(error.error) ?? [];
    return { path: [...path, name].join("."), what: "is missing" };
  }
  // If the type is wrong, the other keywords, such as limits, do not apply.
  const { type } = at;
  if (error.keyword !== "type" && type && !new Validator({ type } as Schema, "2020-12").validate(value).valid) return;
  return { path: path.join("."), what: sentence(error, value, at, path, schema) };
}

function sentence({ keyword, error }: OutputUnit, value: unknown, at: JsonSchema, path: string[], schema: JsonSchema) {
  if (TYPES.has(keyword)) return `must be ${typeInWords(at)}, and is ${inWords(value)}`;
  if (keyword === "false") return notThere(path.at(-1) ?? "", schemaAt(path.slice(0, -1), schema));
  const said = SENTENCES[keyword]?.(at[keyword], value);
  return said ?? `does not fit: ${error.charAt(0).toLowerCase()}${error.slice(1).replace(/\.$/, "")}`;
}

/** Keywords that say what a value must be. */
const TYPES = new Set(["type", "anyOf", "oneOf", "enum", "const"]);

const SENTENCES: Readonly<Record<string, (limit: unknown, value: unknown) => string>> = {
  minimum: (limit, value) => `must be ${limit} or more, and is ${value}`,
  maximum: (limit, value) => `must be ${limit} or less, and is ${value}`,
  exclusiveMinimum: (limit, value) => `must be more than ${limit}, and is ${value}`,
  exclusiveMaximum: (limit, value) => `must be less than ${limit}, and is ${value}`,
  multipleOf: (limit, value) => `must be a multiple of ${limit}, and is ${value}`,
  minLength: (limit) => `must have at least ${counted(limit, "character")}`,
  maxLength: (limit) => `must have at most ${counted(limit, "character")}`,
  pattern: (limit) => `must match ${limit}`,
  format: (limit) => `must have the format "${limit}"`,
  minItems: (limit) => `must have at least ${counted(limit, "member")}`,
  maxItems: (limit) => `must have at most ${counted(limit, "member")}`,
  uniqueItems: () => "must not have the same member twice",
};

const counted = (count: unknown, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The value as JSON, shortened. What the shell made of an argument is often a surprise. */
function inWords(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Names that the schema does not mention. JSON Schema allows them; on a command line they are usually misspelled. */
function unknownNames(input: unknown, schema: JsonSchema, path: readonly string[] = []): Problem[] {
  const { properties, additionalProperties, patternProperties } = schema as Readonly<Record<string, unknown>>;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [];
  if (typeof properties !== "object" || properties === null || additionalProperties || patternProperties) return [];
  return Object.entries(input).flatMap(([name, value]) => {
    const here = [...path, name];
    if (!Object.hasOwn(properties as object, name)) return [{ path: here.join("."), what: notThere(name, schema) }];
    return unknownNames(value, schemaAt([name], schema), here);
  });
}

function notThere(name: string, schema: JsonSchema): string {
  const meant = closest(name, Object.keys(asSchema(schema.properties)));
  return `is not one of its parameters${meant === undefined ? "" : `: did you mean ${meant}?`}`;
}

/** The parts of a JSON Pointer in a fragment (RFC 6901, section 6). */
function partsOf(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(path: readonly string[], input: unknown): unknown {
  return path.reduce((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], input);
}
