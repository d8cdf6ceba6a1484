/**
 * Writes the TypeScript type of a JSON Schema, draft 2020-12 without references, for `npm run client`. Every value that
 * the schema allows has the type; what a type cannot say, such as a length, is left out. The schema may come from any
 * server: names and values are written as JSON, so that no text of it can become code.
 *
 * No package does this. json-schema-to-typescript opens the files and URLs that a schema refers to, copies a `tsType`
 * as it is, and makes `never[]` of a tuple in `prefixItems`. Cloudflare's codemode drops properties beside `anyOf`, and
 * makes `string | null[]` of a list.
 */
import { docComment, memberKey, quoted } from "./text.ts";

/**
 * A type, and what matters when it is joined with others: a union needs brackets, and in an intersection, two unions
 * multiply.
 */
interface Type {
  readonly text: string;
  readonly isUnion?: boolean;
}

interface Place {
  readonly depth: number;
  /** The spaces before a line. */
  readonly pad: string;
  /** Whether the type is for values that a program sends. It may then send read-only arrays. */
  readonly isInput: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

const UNKNOWN: Type = { text: "unknown" };
const NEVER: Type = { text: "never" };
/** Deeper parts are unknown, so that an endless schema does not overflow the stack, here or in the compiler. */
const MAX_DEPTH = 24;
/** A longer choice is written as the types of its values: the compiler refuses a union of 100,000. */
const MAX_CHOICES = 500;

/**
 * @param pad the spaces before the line in which the type begins
 * @returns the type as text, which may have several lines
 */
export function typeOf(schema: unknown, { isInput = false, pad = "" } = {}): string {
  return read(schema, { depth: 0, pad, isInput }).text;
}

/** Whether an object without members is valid, so that a function needs no argument. */
export function needsNothing(schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const isFree = !Object.keys(schema).some((keyword) => /^(all|any|one)Of$|^(const|enum)$/.test(keyword));
  return isFree && list(schema.required).length === 0;
}

function read(schema: unknown, place: Place): Type {
  if (schema === false) return NEVER;
  if (!isRecord(schema) || place.depth > MAX_DEPTH) return UNKNOWN;
  const inner = { ...place, depth: place.depth + 1 };
  const parts = [ofOwnKeywords(schema, inner), ...list(schema.allOf).map((part) => read(part, inner))];
  for (const options of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(options)) parts.push(union(options.map((part) => read(part, inner))));
  }
  return intersection(parts);
}

/** The type of a schema without those that it combines (`allOf`, `anyOf`, `oneOf`). */
function ofOwnKeywords(schema: Schema, place: Place): Type {
  if ("const" in schema) return literal(schema.const, place.depth);
  if (Array.isArray(schema.enum)) return choice(schema.enum, place.depth);
  const { type = guessed(schema) } = schema;
  const types = [...new Set(Array.isArray(type) ? type : [type])].map((one) => ofType(one, schema, place));
  if (types.length === 0) return UNKNOWN;
  // OpenAPI 3.0, which some servers' schemas come from.
  return schema.nullable === true ? union([...types, { text: "null" }]) : union(types);
}

/** The type that the keywords are about: many schemas leave it out. */
function guessed(schema: Schema): string | undefined {
  if (isRecord(schema.properties) || isRecord(schema.patternProperties)) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
}

function ofType(type: unknown, schema: Schema, place: Place): Type {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
    case "null":
      return { text: type };
    case "integer":
      return { text: "number" };
    case "array":
      return arrayOf(schema, place);
    case "object":
      return objectOf(schema, place);
    default:
      return UNKNOWN;
  }
}

function arrayOf({ items, prefixItems, additionalItems, minItems }: Schema, place: Place): Type {
  // Until draft 2019-09, a list in `items` was what `prefixItems` is now.
  const [first, rest] = Array.isArray(items) ? [items, additionalItems] : [list(prefixItems), items];
  const readonly = place.isInput ? "readonly " : "";
  const array = `${element(read(rest, place))}[]`;
  if (first.length === 0) return { text: readonly + array };
  if (first.length > MAX_CHOICES) return { text: `${readonly}unknown[]` };
  const least = typeof minItems === "number" ? minItems : 0;
  const elements = first.map((part, at) => {
    const type = read(part, place);
    return at < least ? type.text : `${element(type)}?`;
  });
  if (rest !== false) elements.push(`...${array}`);
  return { text: `${readonly}[${elements.join(", ")}]` };
}

/**
 * If `additionalProperties` is missing, a value may have any others. The type still has only those that the schema
 * names, so that the compiler finds misspelled ones.
 */
function objectOf(schema: Schema, outer: Place): Type {
  const place = { ...outer, pad: `${outer.pad}  ` };
  const { pad } = place;
  const { additionalProperties, patternProperties } = schema;
  const properties = Object.entries(isRecord(schema.properties) ? schema.properties : {});
  const required = new Set(list(schema.required));
  const lines = properties.map(([name, part]) => {
    const { description, deprecated } = isRecord(part) ? part : {};
    const about = docComment([textOf(description), deprecated === true ? "Deprecated." : ""], pad);
    return `${about}${pad}${memberKey(name)}${required.has(name) ? "" : "?"}: ${read(part, place).text};\n`;
  });
  const patterns = Object.values(isRecord(patternProperties) ? patternProperties : {});
  const more = patterns.map((part) => read(part, place));
  if (isRecord(additionalProperties) || additionalProperties === true) more.push(read(additionalProperties, place));
  if (lines.length === 0 && more.length === 0) {
    const isClosed = additionalProperties === false || (place.isInput && isRecord(schema.properties));
    return { text: isClosed ? "Record<string, never>" : "Record<string, unknown>" };
  }
  // TypeScript wants the type of all other members to fit the named ones. Their types are unrelated, so it is unknown.
  const others = lines.length > 0 ? UNKNOWN : union(more);
  if (more.length > 0) lines.push(`${pad}[name: string]: ${others.text};\n`);
  return { text: `{\n${lines.join("")}${outer.pad}}` };
}

/** The type whose only value is a JSON value. */
function literal(value: unknown, depth: number): Type {
  if (depth > MAX_DEPTH) return UNKNOWN;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, depth + 1).text);
    return { text: `readonly [${items.join(", ")}]` };
  }
  if (isRecord(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${memberKey(name)}: ${literal(member, depth + 1).text}`,
    );
    return { text: members.length > 0 ? `{ ${members.join("; ")} }` : "Record<string, never>" };
  }
  // JSON's 1e999 is Infinity, which is not a literal type.
  return typeof value === "number" && !Number.isFinite(value) ? { text: "number" } : { text: quoted(value) };
}

function choice(values: readonly unknown[], depth: number): Type {
  if (values.length <= MAX_CHOICES) return union(values.map((value) => literal(value, depth)));
  const names = values.map((value) => (value === null ? "null" : typeof value));
  return union(names.map((name) => ({ text: name === "object" ? "unknown" : name })));
}

function union(types: readonly Type[]): Type {
  const texts = [...new Set(types.map(({ text }) => text))].filter((text) => text !== "never");
  if (texts.includes("unknown")) return UNKNOWN;
  if (texts.length > MAX_CHOICES) return UNKNOWN;
  return texts.length === 0 ? NEVER : { text: texts.join(" | "), isUnion: texts.length > 1 || types.some(isOneOfMany) };
}

/** Leaves out every union but the first: the compiler would multiply their alternatives. */
function intersection(types: readonly Type[]): Type {
  const known = types.filter(({ text }) => text !== "unknown");
  const first = known.find(isOneOfMany);
  const kept = known.filter((type) => type === first || !isOneOfMany(type)).slice(0, MAX_CHOICES);
  if (kept.length <= 1) return kept[0] ?? UNKNOWN;
  const texts = kept.map(({ text, isUnion }) => (isUnion ? `(${text})` : text));
  return { text: [...new Set(texts)].join(" & "), isUnion: true };
}

const isOneOfMany = ({ isUnion = false }: Type) => isUnion;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
/** The type as an element of an array or a tuple, in brackets if it needs them. */
const element = ({ text, isUnion }: Type) => (isUnion || text.startsWith("readonly ") ? `(${text})` : text);

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
