/**
 * Turns a tool of OpenTool's SDKs into tool definitions, for `fromOpenTool` of `#tool`. Discovery checks the
 * definitions; this file checks only mistakes that discovery could not explain. Bundled only if a toolkit uses it.
 *
 * Sources: OpenTool Client-Server Communication Specification 1.0.0, section 5; OpenTool Specification 1.1.0.
 */
import { nestsDeeperThan } from "./core/lib/json.ts";
import type { ToolOptions } from "./core/model/definition.ts";
import type { StandardSchema } from "./core/model/schema.ts";
import type { Listing } from "./core/model/tool-description.ts";

/** The interface `Tool` of the SDKs. Either method may be asynchronous. */
export interface OpenToolTool {
  call(name: string, args: Record<string, unknown>): object | Promise<object>;
  /** The description: an OpenTool document, or an object whose `toJson()` gives one. */
  load(): object | null | Promise<object | null>;
}

/** Options of all functions that the description does not have. */
export interface OpenToolOptions
  extends Omit<ToolOptions, "requirements" | "env" | "headers" | "attachments" | "long"> {
  /** Three integers. Default: `info.version` of the description. */
  readonly version?: string;
  readonly long?: boolean;
  readonly listing?: Listing;
  /** `false`: over MCP and OpenTool, functions are called `Toolkit_Function`. Default: they keep their names. */
  readonly keepNames?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;
/** A tool for a function, as an author would define it. */
interface FunctionTool extends Omit<OpenToolOptions, "keepNames"> {
  readonly name?: string;
  readonly version: string;
  readonly description: string;
  readonly input: StandardSchema<Fields>;
  readonly output: StandardSchema<Fields>;
  run(input: Fields): Promise<Fields>;
}

/** Functions of `#tool`. They are passed, because `#tool` loads this module, which therefore cannot import it. */
interface Makers {
  jsonSchema(schema: Readonly<Record<string, unknown>>): StandardSchema<Fields>;
  readonly ToolError: new (message: string, options: { readonly cause?: unknown }) => Error;
}

interface Description {
  readonly info?: { readonly version?: unknown };
  readonly functions: readonly OpenToolFunction[];
  readonly schemas?: Fields;
}

interface OpenToolFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters?: readonly (Part & { readonly required?: boolean })[];
  readonly return?: Part | null;
}

/** A parameter, or what a function returns. */
interface Part {
  readonly name: string;
  readonly description?: string;
  readonly schema?: { readonly type?: string; readonly description?: string };
}

/**
 * @returns the tools, by the functions' names
 *
 * @throws {TypeError} if `tool` is not a tool of OpenTool's SDKs (a class, say), there is no description, its version
 *   is not three integers, its parameters are not a list, or a schema is not one of OpenTool's or refers to itself
 */
export async function toolsOf(
  tool: OpenToolTool,
  { keepNames = true, ...shared }: OpenToolOptions,
  { jsonSchema, ToolError }: Makers,
): Promise<Readonly<Record<string, FunctionTool>>> {
  const { info, functions, schemas = {} } = await describe(tool);
  if (nestsDeeperThan([functions, schemas], MAX_DEPTH))
    throw new TypeError(`load() returns schemas that are nested over ${MAX_DEPTH} levels deep`);
  const version = shared.version ?? threeIntegers(info?.version);
  const tools = functions.map((described) => {
    const whole = inlined(described, schemas, [described.name], { left: MAX_REFERENCES }) as OpenToolFunction;
    const { name, description, parameters = [], return: returned } = whole;
    if (!Array.isArray(parameters)) throw new TypeError(`${name}: its "parameters" are not a list`);
    const definition: FunctionTool = {
      ...shared,
      ...(keepNames && { name }),
      version,
      description,
      input: jsonSchema(inputOf(parameters)),
      output: jsonSchema(outputOf(returned)),
      async run(input) {
        try {
          // Copied, because the input has no prototype, and existing code may call the prototype's methods.
          return ((await tool.call(name, { ...input })) ?? {}) as Fields;
        } catch (thrown) {
          throw withMessage(thrown, ToolError);
        }
      },
    };
    return [name, definition] as const;
  });
  return Object.fromEntries(tools);
}

async function describe(tool: OpenToolTool): Promise<Description> {
  const methods = ["load", "call"] as const;
  const missing = methods.filter((name) => typeof tool?.[name] !== "function").map((name) => `no ${name}()`);
  if (missing.length > 0) {
    const { name } = (typeof tool === "function" ? tool : {}) as { name?: string };
    throw new TypeError(
      name
        ? `fromOpenTool got the class ${name}: write fromOpenTool(new ${name}())`
        : `the argument of fromOpenTool has ${missing.join(" and ")}`,
    );
  }
  const loaded = (await tool.load()) as (Description & { toJson?(): Description }) | null;
  const description = loaded?.toJson?.() ?? loaded;
  if (Array.isArray(description?.functions)) return description as Description;
  const found = description === null ? "null" : 'an object without "functions"';
  throw new TypeError(`load() returns ${found}, but must return a description, which lists the functions`);
}

function threeIntegers(version: unknown): string {
  if (typeof version === "string" && /^\d+\.\d+\.\d+$/.test(version)) return version;
  const found =
    version === undefined
      ? "missing, and the tools need one"
      : `${JSON.stringify(version)}, which is not three integers`;
  throw new TypeError(`info.version is ${found}: write fromOpenTool(…, { version: "1.0.0" })`);
}

/** The types of OpenTool's schemas, each with a function that checks a value. */
const TYPES = new Map<unknown, (value: unknown) => boolean>([
  ["boolean", (value) => typeof value === "boolean"],
  ["integer", Number.isInteger],
  ["number", (value) => typeof value === "number"],
  ["string", (value) => typeof value === "string"],
  ["array", Array.isArray],
  ["object", (value) => typeof value === "object"],
]);

/** Most levels of a schema: more than a call with 64 levels needs. */
const MAX_DEPTH = 256;
/** Most references of a function that are replaced: each may lead to several others, so they grow exponentially. */
const MAX_REFERENCES = 10_000;

/**
 * Replaces references, `{"$ref": "#/schemas/Name"}`, with what they refer to, and checks schemas.
 *
 * @param within name of the function, then names of the schemas that contain this part
 * @param budget how many more references may be replaced
 */
function inlined(part: unknown, schemas: Fields, within: readonly string[], budget: { left: number }): unknown {
  const refuse = (problem: string) => {
    throw new TypeError(`${within.join(", ")}: ${problem}`);
  };
  return JSON.parse(JSON.stringify(part), (_, value) => {
    const { $ref, type, enum: choices } = (value ?? {}) as Fields;
    if (typeof $ref === "string") {
      const name = $ref.replace("#/schemas/", "");
      if (within.indexOf(name, 1) > 0) refuse(`the schema "${name}" contains itself, which no listing can show`);
      if (within.length > MAX_DEPTH || --budget.left < 0) refuse(`it has more than ${MAX_REFERENCES} references`);
      if (!Object.hasOwn(schemas, name)) refuse(`"$ref": "${$ref}" is not among the description's schemas`);
      return inlined(schemas[name], schemas, [...within, name], budget);
    }
    const hasType = TYPES.get(type);
    if (typeof type === "string" && !hasType)
      refuse(`there is no type "${type}": write ${[...TYPES.keys()].join(", ")}`);
    const listed = Array.isArray(choices) && hasType ? choices : [];
    const wrong = listed.filter((choice) => choice !== null && !hasType?.(choice));
    if (wrong.length > 0) refuse(`the enum has ${JSON.stringify(wrong[0])}, which is not of type ${type}`);
    return value;
  });
}

/** An object schema of a function's parameters. Adds descriptions, which OXP demands and OpenTool does not. */
function inputOf(parameters: readonly (Part & { readonly required?: boolean })[]): Fields {
  const properties = parameters.map(({ name, description, schema }) => {
    return [name, { ...schema, description: description || schema?.description || name }] as const;
  });
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

/**
 * A schema of the map that `call` returns. If the return value is an object, the map is that object; any other value is
 * a member of the map, with the value's name. Without a return value, the map may have any members, because OpenTool's
 * servers pass it on. No member is required, because the documents do not demand the names, and the SDKs' own example
 * returns others.
 */
function outputOf(returned: Part | null | undefined): Fields {
  if (!returned?.schema) return { type: "object" };
  const { name, description, schema } = returned;
  const described = { ...schema, ...(description && { description }) };
  return schema.type === "object"
    ? { ...described, required: [] }
    : { type: "object", properties: { [name]: described } };
}

/** Codes of the SDKs' exceptions: InvalidArguments, FunctionNotSupported, ToolBreak. */
const CODES: readonly unknown[] = [400, 405, 500];

/** @returns what to throw: a `ToolError` for an exception of the SDKs, or for what its `toJson()` returns */
function withMessage(thrown: unknown, ToolError: Makers["ToolError"]): unknown {
  const { toJson } = (thrown ?? {}) as { toJson?: unknown };
  const hasJson = typeof toJson === "function";
  // An error with a code but without toJson comes from a library, and its message may not be meant for callers.
  if (thrown instanceof Error && !hasJson) return thrown;
  const { code, message } = (hasJson ? toJson.call(thrown) : thrown) ?? {};
  return CODES.includes(code) && typeof message === "string" ? new ToolError(message, { cause: thrown }) : thrown;
}
