/** Says in words what a schema takes, and which parameters a tool has. Pure. */
import { plain } from "../../lib/plain.ts";
import type { JsonSchema } from "../protocols/connection.ts";
import { asSchema } from "../protocols/lib.ts";

const NAMES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

/** Levels. Nobody reads a deeper schema: it is a mistake of the server, or a trap. */
const MAX_DEPTH = 8;

/** Such as "a whole number", or "S or L". */
export function typeInWords(given: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return "anything";
  const schema = asSchema(given);
  const { type, enum: choices, anyOf, oneOf, items } = schema as Readonly<Record<string, unknown>>;
  if ("const" in schema) return literal(schema.const);
  if (Array.isArray(choices)) return either(choices.map(literal));
  const alternatives = [anyOf, oneOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (alternatives) return either([...new Set(alternatives.map((one) => typeInWords(one, depth + 1)))]);
  if (Array.isArray(type)) return either(type.map((one) => NAMES[one] ?? String(one)));
  if (type === "array" && typeof items === "object" && items !== null) {
    const member = typeInWords(items, depth + 1);
    return member === "anything" ? "a list" : `a list of: ${member}`;
  }
  return NAMES[String(type)] ?? "anything";
}

/** A value as JSON; a text without its quotes, unless it is empty or has spaces, commas or quotes. */
function literal(value: unknown): string {
  return typeof value === "string" && value !== "" && !/[\s",]/.test(value) ? plain(value) : JSON.stringify(value);
}

function either(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "nothing") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** One parameter, a row of the help. If it is an object, rows for its members follow. */
export interface Parameter {
  readonly path: string;
  /** Such as "a whole number, 1 or more, by default 1". */
  readonly kind: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export function parametersOf(schema: JsonSchema, prefix = "", depth = 0): Parameter[] {
  const required = Array.isArray(schema.required) ? (schema.required as readonly unknown[]) : [];
  const properties = depth > MAX_DEPTH ? [] : Object.entries(asSchema(schema.properties));
  return properties.flatMap(([name, given]) => {
    const property = asSchema(given);
    const isRequired = required.includes(name);
    const parts = [typeInWords(property), ...boundsOf(property), isRequired ? "required" : defaultOf(property)];
    const [path, kind] = [prefix + name, parts.filter(Boolean).join(", ")];
    const inner = property.type === "object" ? parametersOf(property, `${path}.`, depth + 1) : [];
    return [{ path, kind, description: plain(String(property.description ?? "")), isRequired }, ...inner];
  });
}

function boundsOf({ minimum, maximum, format }: JsonSchema): string[] {
  const least = minimum === undefined ? [] : [`${minimum} or more`];
  const most = maximum === undefined || Number(maximum) >= Number.MAX_SAFE_INTEGER ? [] : [`${maximum} or less`];
  return [...least, ...most, ...(typeof format === "string" ? [format] : [])];
}

function defaultOf(property: JsonSchema): string {
  return property.default === undefined ? "" : `by default ${JSON.stringify(property.default)}`;
}

/** The parameters as they are written on the command line: `cake=… [count=…]`. */
export function synopsis(schema: JsonSchema): string {
  const top = parametersOf(schema).filter(
    ({ path }) => !path.includes(".") || Object.hasOwn(asSchema(schema.properties), path),
  );
  return top.map(({ path, isRequired }) => (isRequired ? `${path}=…` : `[${path}=…]`)).join(" ");
}
