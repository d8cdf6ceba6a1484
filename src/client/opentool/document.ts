/**
 * The description document of `GET /load` (OpenTool Specification 1.1.0): its types, and a reader that makes
 * every document fit the types, however sloppy the server.
 */
import { isRecord } from "../lib/json.ts";
import type { JsonObject } from "./model.ts";

export interface OpenTool {
  /** Version of the document's format. */
  readonly opentool: string;
  readonly info: Info;
  readonly server?: ServerInfo;
  readonly functions: readonly FunctionModel[];
  /** What a `$ref` names. {@link resolveSchema} follows it. */
  readonly schemas?: { readonly [name: string]: Schema };
}

export interface Info {
  readonly title: string;
  readonly description?: string;
  readonly version: string;
}

export interface ServerInfo {
  readonly url: string;
  readonly description?: string;
}

export interface FunctionModel {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** null or missing if the function returns nothing. */
  readonly return?: Return | null;
}

export interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export interface Return {
  readonly name: string;
  readonly description?: string;
  readonly schema: Schema;
}

/** As the server wrote it. The format has these members only; servers may add others of JSON Schema. */
export interface Schema {
  readonly type?: "boolean" | "integer" | "number" | "string" | "array" | "object" | (string & {});
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  /** Replaces all other members: `#/schemas/Name`. */
  readonly $ref?: string;
}

/**
 * @returns null for an object that describes nothing: the document's `{}`, and the `{ code: 404, message }` of published
 *          servers
 */
export function documentOf(json: JsonObject): OpenTool | null {
  if (!isRecord(json.info) && !Array.isArray(json.functions)) return null;
  const { info, server, schemas, ...others } = json;
  return {
    ...others,
    opentool: textOf(json.opentool),
    info: { ...objectOr(info), title: textOf(objectOr(info).title), version: textOf(objectOr(info).version) },
    ...(isRecord(server) && typeof server.url === "string" && { server: server as unknown as ServerInfo }),
    functions: namedIn(json.functions).map(functionOf),
    ...(isRecord(schemas) && { schemas: schemas as Readonly<Record<string, Schema>> }),
  };
}

function functionOf({ return: returned, ...others }: Named): FunctionModel {
  return {
    ...others,
    description: textOf(others.description),
    parameters: namedIn(others.parameters).map((parameter) => ({
      ...parameter,
      schema: objectOr(parameter.schema),
      required: parameter.required === true || parameter.required === "true",
    })),
    return: isRecord(returned) ? { ...returned, name: textOf(returned.name), schema: objectOr(returned.schema) } : null,
  };
}

/**
 * Follows `$ref`s until there is none. What is inside the schema is left as it is, so schemas may contain themselves.
 *
 * @returns the schema that was given, or the one that it names
 * @throws {TypeError} if the document has no such schema, or it names itself
 */
export function resolveSchema({ schemas = {} }: Pick<OpenTool, "schemas">, schema: Schema): Schema {
  const seen = new Set<string>();
  let found = schema;
  while (found.$ref !== undefined) {
    const name = /^#\/schemas\/([^/]+)$/.exec(found.$ref)?.[1] ?? "";
    const next = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (next === undefined) throw new TypeError(`The document has no schema ${found.$ref}`);
    if (seen.has(name)) throw new TypeError(`The schema ${found.$ref} is defined by itself`);
    seen.add(name);
    found = next;
  }
  return found;
}

type Named = JsonObject & { readonly name: string };

/** The members of a list that have a name: without one, nobody can call a function or pass a parameter. */
function namedIn(list: unknown): Named[] {
  const isNamed = (item: unknown): item is Named => isRecord(item) && typeof item.name === "string";
  return Array.isArray(list) ? list.filter(isNamed) : [];
}

const objectOr = (value: unknown): JsonObject => (isRecord(value) ? value : {});
const textOf = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");
