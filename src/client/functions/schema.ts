/**
 * Turns the input schema of a tool into one that a model's API accepts. An API refuses a whole request for one schema
 * that it does not accept. So keywords that it does not accept are omitted or loosened, and the description mentions
 * them: the server checks every call against the tool's own schema anyway. Nothing is tightened.
 */
import { isRecord } from "../lib/json.ts";
import type { JsonSchema } from "../oxp/types.ts";
import { type Converted, listed, MAPS, move, namesIn, ONE, UNEVALUATED, UNIONS, wellFormed } from "./keywords.ts";

/** What an API accepts. */
export interface SchemaRules {
  /** Keywords besides `description`. Default: all of draft 2020-12. */
  readonly keywords?: ReadonlySet<string> | undefined;
  /** Whether `prefixItems` is accepted, and so are lists without `items`. */
  readonly tuples: boolean;
  /**
   * What else to change in a schema, before keywords are left out. Returns the keywords that it has loosened, as they
   * were, and the new schema.
   */
  readonly change?: ((schema: JsonSchema) => Converted) | undefined;
}

/** A schema of arguments: at its root is one object. */
export interface ParameterSchema {
  type: "object";
  properties: Record<string, unknown>;
  [keyword: string]: unknown;
}

/**
 * Claude refuses other names of parameters: 400, "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
 * (github.com/ComposioHQ/composio/issues/3500). Here for all APIs, because proxies and the AI SDK speak to Claude, too.
 */
const PARAMETER = /^[a-zA-Z0-9_.-]{1,64}$/;
/** What OpenAI and Claude refuse at the root, and conditions, which make sense only beside it. */
const NOT_AT_ROOT = [...UNIONS, "not", "enum", "const", "if", "then", "else"];
const CLOSING = ["additionalProperties", "unevaluatedProperties"];
/** How many characters of the omitted keywords a description repeats. */
const MAX_OMITTED = 500;
/** Gemini has a limit ("exceeds the maximum allowed nesting depth"), which is written nowhere. */
const MAX_DEPTH = 24;

/**
 * Returns a tool's description and input for a model's API.
 *
 * OpenAI refuses a schema without type "object", and one with `oneOf`, `anyOf`, `allOf`, `enum` or `not` at its root
 * (github.com/langchain-ai/langchainjs/issues/9804); so does Claude for unions
 * (github.com/anthropics/claude-code/issues/5319). Unions at the root therefore become one object.
 */
export function described(
  description: string,
  input: JsonSchema,
  rules: SchemaRules,
): { readonly description: string; readonly parameters: ParameterSchema } {
  const { schema: object, omitted } = asObject(input);
  const named = withAcceptedNames(object);
  const root = converted(named.schema, rules, 0);
  const whole = withOmitted(description, { ...omitted, ...root.omitted });
  return {
    description: [whole, ...named.others].filter(Boolean).join("\n"),
    parameters: {
      ...root.schema,
      type: "object",
      properties: (root.schema.properties ?? {}) as ParameterSchema["properties"],
    },
  };
}

/**
 * One object instead of a union, with the parameters of all of its members. If the object has a parameter itself, what
 * the members add to it is only in the description.
 */
function asObject(given: JsonSchema): Converted {
  const { schema, omitted: malformed } = wellFormed(given);
  const kept: Record<string, unknown> = { ...schema };
  const omitted: Record<string, unknown> = { ...malformed };
  for (const keyword of NOT_AT_ROOT) move(keyword, kept, omitted);
  const own = (kept.properties ?? {}) as JsonSchema;
  const merged = UNIONS.filter((keyword) => schema[keyword] !== undefined).map((keyword) => {
    return membersOf(keyword, schema[keyword] as readonly unknown[]);
  });
  // What is closed for one member of a union may be open for another.
  if (merged.length > 0) for (const keyword of CLOSING) move(keyword, kept, omitted);
  return {
    schema: {
      ...kept,
      type: "object",
      properties: Object.fromEntries([...merged.flatMap(({ properties }) => properties), ...Object.entries(own)]),
      required: [...new Set([...namesIn(kept.required), ...merged.flatMap(({ required }) => required)])],
    },
    omitted,
  };
}

/** The parameters of all members of a union, and those that are required whichever member applies. */
function membersOf(keyword: (typeof UNIONS)[number], members: readonly unknown[]) {
  const parts = members.filter(isRecord).map((part) => asObject(part).schema);
  const meanings = new Map<string, unknown[]>();
  for (const [name, meaning] of parts.flatMap(({ properties }) => Object.entries(properties as JsonSchema))) {
    meanings.set(name, [...(meanings.get(name) ?? []), meaning]);
  }
  const inAll = keyword === "allOf";
  const demands = parts.map(({ required }) => namesIn(required));
  return {
    properties: [...meanings].map(([name, schemas]) => [name, joined(inAll ? "allOf" : "anyOf", schemas)] as const),
    required: inAll
      ? demands.flat()
      : (demands[0] ?? []).filter((name) => demands.every((names) => names.includes(name))),
  };
}

/** Combines schemas, each of them once. */
function joined(keyword: "allOf" | "anyOf", schemas: readonly unknown[]): unknown {
  const [first, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values();
  return others.length === 0 ? first : { [keyword]: [first, ...others] };
}

/** Moves parameters with other names into the description: models may send them all the same. */
function withAcceptedNames(schema: JsonSchema): { readonly schema: JsonSchema; readonly others: readonly string[] } {
  const properties = Object.entries(schema.properties as JsonSchema);
  const others = properties.filter(([name]) => !PARAMETER.test(name));
  if (others.length === 0) return { schema, others: [] };
  const { additionalProperties, unevaluatedProperties, ...open } = schema;
  const required = namesIn(schema.required);
  return {
    schema: {
      ...open,
      properties: Object.fromEntries(properties.filter(([name]) => PARAMETER.test(name))),
      required: required.filter((name) => PARAMETER.test(name)),
    },
    others: others.map(([name, property]) => {
      const must = required.includes(name) ? " (required)" : "";
      return `It also has the parameter ${JSON.stringify(name)}${must}: ${short(JSON.stringify(property))}`;
    }),
  };
}

/** The schema of a value, for the API. */
function convertedIn(schema: unknown, rules: SchemaRules, depth: number): unknown {
  if (!isRecord(schema)) return schema === false ? { description: "Leave this out: no value is allowed." } : {};
  const { schema: result, omitted } = converted(schema, rules, depth);
  const description = withOmitted(typeof result.description === "string" ? result.description : "", omitted);
  return description === "" ? result : { ...result, description };
}

function converted(given: JsonSchema, rules: SchemaRules, depth: number): Converted {
  if (depth > MAX_DEPTH) return { schema: {}, omitted: {} };
  const { schema, omitted: malformed } = wellFormed(given);
  const lists = rules.tuples ? { schema, omitted: {} } : withItems(schema);
  const changed = rules.change?.(lists.schema) ?? { schema: lists.schema, omitted: {} };
  const omitted: Record<string, unknown> = { ...malformed, ...lists.omitted, ...changed.omitted };
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(changed.schema)) {
    const isKnown = rules.keywords?.has(keyword) ?? true;
    if (keyword !== "description" && !isKnown) omitted[keyword] = value;
    else result[keyword] = inKeyword(keyword, value, (part) => convertedIn(part, rules, depth + 1));
  }
  // Draft 4, which some programs still use, forbids an empty list.
  if (listed(result.required).length === 0) delete result.required;
  return { schema: result, omitted };
}

/** Lists with one kind of items, which may be of several kinds. */
function withItems(schema: JsonSchema): Converted {
  const { prefixItems, items, unevaluatedItems, ...rest } = schema;
  const isList = [schema.type].flat().includes("array");
  if (!isList && prefixItems === undefined && typeof items !== "boolean") return { schema, omitted: {} };
  const first = listed(prefixItems);
  if (isRecord(items) && first.length === 0) return { schema, omitted: {} };
  const kinds = isRecord(items) ? [...first, items] : items === false ? first : [];
  // Without items after the first ones, there are no more than those.
  const most =
    items === false ? { maxItems: Math.min(first.length, Number(rest.maxItems ?? Number.POSITIVE_INFINITY)) } : {};
  return {
    schema: { ...rest, ...most, items: kinds.length > 0 && kinds.every(isRecord) ? joined("anyOf", kinds) : {} },
    omitted: {
      ...(prefixItems !== undefined && { prefixItems }),
      ...(unevaluatedItems !== undefined && { unevaluatedItems }),
    },
  };
}

function inKeyword(keyword: string, value: unknown, convert: (part: unknown) => unknown): unknown {
  if ((ONE.includes(keyword) || UNEVALUATED.includes(keyword)) && isRecord(value)) return convert(value);
  if (keyword === "prefixItems" || UNIONS.includes(keyword as (typeof UNIONS)[number]))
    return listed(value).map(convert);
  if (!MAPS.includes(keyword) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, convert(part)]));
}

/** Adds the omitted keywords to a description. */
function withOmitted(description: string, omitted: JsonSchema): string {
  if (Object.keys(omitted).length === 0) return description;
  return [description, `(Its JSON Schema also has ${short(JSON.stringify(omitted))})`].filter(Boolean).join(" ");
}

const short = (text: string) => (text.length > MAX_OMITTED ? `${text.slice(0, MAX_OMITTED)}…` : text);
