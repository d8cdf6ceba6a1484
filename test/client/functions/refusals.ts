/** What the APIs of models refuse in tools, written from their documents and error messages alone. */
import { Ajv2020 } from "ajv/dist/2020.js";

export type Api = "OpenAI" | "Anthropic" | "Gemini";

/** A tool as an API gets it. */
export interface Sent {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ strict: false, logger: false });
const isDraft2020 = ajv.compile({ $ref: "https://json-schema.org/draft/2020-12/schema" });

/** What an API would say, for all tools: an empty list if it takes the request. */
export function refusals(api: Api, tools: readonly Sent[]): string[] {
  const names = tools.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `two tools named ${name}`);
  const each = tools.flatMap((tool) =>
    [...named(tool), ...root(tool), ...CHECKS[api](tool)].map((what) => `${tool.name}: ${what}`),
  );
  return [...twice, ...each];
}

function* named({ name, description }: Sent) {
  if (!/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)) yield "invalid name";
  if (typeof description !== "string") yield "no description";
}

function* root({ parameters }: Sent) {
  const schema = parameters as Schema;
  if (schema?.type !== "object") yield "schema must have type 'object'";
  if (typeof schema?.properties !== "object") yield "object schema missing properties";
  for (const keyword of ["oneOf", "anyOf", "allOf", "enum", "const", "not"]) {
    if (keyword in schema) yield `schema has ${keyword} at the top level`;
  }
}

const CHECKS: Readonly<Record<Api, (tool: Sent) => Iterable<string>>> = {
  *OpenAI({ parameters }) {
    for (const [at, schema] of schemas(parameters)) {
      if (isList(schema) && !isObject(schema.items)) yield `${at}: array schema missing items`;
    }
  },
  *Anthropic({ parameters }) {
    if (!isDraft2020(parameters))
      yield `JSON schema is invalid. It must match JSON Schema draft 2020-12: ${ajv.errorsText(isDraft2020.errors)}`;
    for (const name of Object.keys((parameters as Schema).properties ?? {})) {
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) yield `Property keys should match pattern: ${name}`;
    }
  },
  *Gemini({ parameters }) {
    const known =
      "type format title description enum items minItems maxItems minimum maximum anyOf properties additionalProperties required";
    for (const [at, schema] of schemas(parameters)) {
      for (const keyword of Object.keys(schema)) {
        if (!known.split(" ").includes(keyword)) yield `${at}: Unknown name "${keyword}"`;
      }
      const { type, items, format, required = [], properties = {} } = schema;
      const choices = schema.enum as readonly unknown[] | undefined;
      if (isList(schema) && !isObject(items)) yield `${at}.items: missing field`;
      if (format !== undefined && format !== "date-time") yield `${at}: format ${format}`;
      if (choices?.some((choice) => typeof choice !== "string" && typeof choice !== "number")) yield `${at}: enum`;
      if (choices !== undefined && type === undefined) yield `${at}: enum without type`;
      if (Array.isArray(type) && (type.length !== 2 || !type.includes("null"))) yield `${at}: type ${type}`;
      for (const name of required as readonly string[]) {
        if (!Object.hasOwn(properties as object, name)) yield `${at}.required: property ${name} is not defined`;
      }
    }
  },
};

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = ({ type, prefixItems }: Schema) => [type].flat().includes("array") || prefixItems !== undefined;

/** Every schema in a schema, with its place. */
export function* schemas(schema: unknown, at = "parameters"): Generator<[at: string, schema: Schema]> {
  if (!isObject(schema)) return;
  yield [at, schema];
  for (const keyword of ["properties", "patternProperties", "dependentSchemas"]) {
    for (const [name, part] of Object.entries((schema[keyword] as object | undefined) ?? {}))
      yield* schemas(part, `${at}.${name}`);
  }
  for (const keyword of ["anyOf", "allOf", "oneOf", "prefixItems"]) {
    for (const [index, part] of ((schema[keyword] as unknown[] | undefined) ?? []).entries())
      yield* schemas(part, `${at}.${keyword}[${index}]`);
  }
  for (const keyword of ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]) {
    yield* schemas(schema[keyword], `${at}.${keyword}`);
  }
}
