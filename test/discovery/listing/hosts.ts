/**
 * What hosts refuse in a listing, host by host, read from their documents and their errors. Knows nothing of the rules
 * of discovery, which it judges.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as MCP lists it. */
export interface Listed {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

type Host = (tool: Listed) => Generator<string>;

/** Every schema in a schema, with its path. */
function* schemasIn(schema: unknown, path = "input"): Generator<[path: string, schema: JsonSchema]> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  const { properties = {}, items, additionalProperties, ...rest } = schema as Record<string, unknown>;
  yield [path, schema as JsonSchema];
  for (const [name, property] of Object.entries(properties as object)) yield* schemasIn(property, `${path}.${name}`);
  for (const item of [items].flat()) yield* schemasIn(item, `${path}[]`);
  yield* schemasIn(additionalProperties, `${path}.*`);
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    for (const part of (rest[keyword] as unknown[] | undefined) ?? []) yield* schemasIn(part, `${path}(${keyword})`);
  }
}

/** Anthropic's API, and Claude on Bedrock. https://github.com/anthropics/claude-code/issues/5973, https://github.com/ComposioHQ/composio/issues/3500 */
function* claude({ name, inputSchema }: Listed): Generator<string> {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) yield "the name";
  if (inputSchema.type !== "object") yield "input: no object";
  for (const union of ["oneOf", "anyOf", "allOf"]) if (union in inputSchema) yield `input: ${union} at the top`;
  for (const property of Object.keys((inputSchema.properties as object | undefined) ?? {})) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(property)) yield `the name of ${property}`;
  }
}

/**
 * Gemini's API, whose Schema is a part of OpenAPI 3.0 (https://ai.google.dev/api/caching#Schema): no such fields, one type
 * each, choices of texts that are not empty, few formats, and lists with items. A value without a type is not judged
 * here: some hosts add one, and discovery warns of it.
 */
function* gemini({ name, inputSchema }: Listed): Generator<string> {
  if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) yield "the name";
  const unknown = ["const", "$ref", "$defs", "definitions", "propertyNames", "patternProperties", "prefixItems"];
  for (const [path, schema] of schemasIn(inputSchema)) {
    for (const field of [...unknown, "exclusiveMinimum", "exclusiveMaximum"])
      if (field in schema) yield `${path}: ${field}`;
    const { type, enum: choices, format, items } = schema;
    if (Array.isArray(type)) yield `${path}: several types`;
    if (type === "array" && (typeof items !== "object" || Array.isArray(items))) yield `${path}: no items`;
    for (const choice of (choices as unknown[] | undefined) ?? []) {
      if (typeof choice !== "string" || choice === "") yield `${path}: the choice ${JSON.stringify(choice)}`;
    }
    if (choices !== undefined && type !== "string") yield `${path}: choices that are no texts`;
    const formats = type === "string" ? ["enum", "date-time"] : ["int32", "int64", "float", "double"];
    if (format !== undefined && !formats.includes(String(format))) yield `${path}: format ${format}`;
  }
}

/** OpenAI's API. https://github.com/cline/cline/issues/7926, https://github.com/vercel/ai/pull/21037 */
function* openai({ name, inputSchema }: Listed): Generator<string> {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) yield "the name";
  if (inputSchema.type !== "object") yield "input: no object";
  for (const [path, { type, items, pattern, propertyNames, patternProperties }] of schemasIn(inputSchema)) {
    if (type === "array" && items === undefined) yield `${path}: no items`;
    if (/\(\?<?[=!]/.test(String(pattern ?? ""))) yield `${path}: a pattern that looks ahead or behind`;
    if (propertyNames ?? patternProperties) yield `${path}: rules of names`;
  }
}

/** Copilot in editors, in the terminal and in its Studio. microsoft/copilot-for-eclipse#325, github/copilot-cli#1876, mondaycom/mcp#334 */
function* copilot({ inputSchema }: Listed): Generator<string> {
  for (const [path, schema] of schemasIn(inputSchema)) {
    if (Array.isArray(schema.type)) yield `${path}: several types`;
    for (const field of ["$ref", "exclusiveMinimum", "exclusiveMaximum", "propertyNames"]) {
      if (field in schema) yield `${path}: ${field}`;
    }
  }
}

/** Cursor drops a tool whose name is over 60 characters together with the server's. https://github.com/ComposioHQ/composio/issues/2788 */
function* cursor({ name }: Listed): Generator<string> {
  if (name.length > 40) yield "the name is long";
}

export const HOSTS: Readonly<Record<string, Host>> = { claude, gemini, openai, copilot, cursor };
