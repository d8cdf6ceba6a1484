/** Schemas of tools that some API refuses, and inputs that those tools accept. */
import type { JsonSchema } from "../../../src/client/oxp/types.ts";

export const property = (schema: unknown): JsonSchema => ({ type: "object", properties: { x: schema } });
export const deep = (levels: number): JsonSchema =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { in: deep(levels - 1) }, required: ["in"] };

/** Schemas that some API refuses, each with inputs that it accepts. */
export const NASTY: Readonly<Record<string, readonly [schema: unknown, ...inputs: unknown[]]>> = {
  nothing: [{}, {}, { any: 1 }],
  "no properties": [{ type: "object" }, {}, { any: 1 }],
  "a union at the root": [
    {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "a" }, a: { type: "string" } },
          required: ["kind", "a"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: { kind: { const: "b" }, b: { type: "number" } },
          required: ["kind", "b"],
          additionalProperties: false,
        },
      ],
    },
    { kind: "a", a: "1" },
    { kind: "b", b: 1 },
  ],
  "a union beside properties": [
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    { a: "1" },
    { b: "1" },
  ],
  "an intersection at the root": [
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { a: { minLength: 2 }, b: {} } },
      ],
    },
    { a: "12" },
    { a: "12", b: [] },
  ],
  "unions in a union": [
    {
      anyOf: [
        { allOf: [{ type: "object", properties: { a: { type: "string" } } }, { required: ["a"] }] },
        { type: "object", required: ["b"], properties: { b: {} } },
      ],
    },
    { a: "1" },
    { b: null },
  ],
  "a closed object with a union": [
    {
      type: "object",
      unevaluatedProperties: false,
      properties: { a: {} },
      anyOf: [{ properties: { b: { type: "string" } } }, { properties: { c: {} } }],
    },
    { a: 1, b: "1" },
    { a: 1, b: "1", c: 1 },
  ],
  "not and if at the root": [
    JSON.parse(
      '{"type":"object","properties":{"a":{},"b":{}},"not":{"required":["c"]},"if":{"required":["a"]},"then":{"required":["b"]}}',
    ),
    {},
    { a: 1, b: 1 },
  ],
  "an object or null": [{ type: ["object", "null"], properties: { a: { type: "string" } } }, { a: "1" }],
  "names of parameters": [
    {
      type: "object",
      properties: { "a b/c": { type: "string" }, ["x".repeat(80)]: {}, ok: {} },
      required: ["a b/c", "ok"],
      additionalProperties: false,
    },
    { "a b/c": "1", ok: 1 },
  ],
  __proto__: [
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["constructor"]}',
    ),
    { constructor: 1 },
  ],
  "a tuple": [
    property({ type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false }),
    { x: [1, "2"] },
    { x: [1] },
  ],
  "an open tuple": [property({ type: "array", prefixItems: [{ type: "number" }] }), { x: [1, "2", null] }],
  "a tuple with others": [
    property({ type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } }),
    { x: [1, "2", "3"] },
  ],
  "a list of anything": [property({ type: "array" }), { x: [1, "2"] }],
  "a list of nothing": [property({ type: "array", items: false }), { x: [] }],
  "a list or a text": [property({ type: ["array", "string"], minItems: 1, minLength: 1 }), { x: [1] }, { x: "1" }],
  "a text or null": [property({ type: ["string", "null"] }), { x: null }, { x: "1" }],
  "several types": [
    property({ type: ["string", "integer", "null"], enum: ["a", 1, null], minimum: 0 }),
    { x: 1 },
    { x: "a" },
    { x: null },
  ],
  "choices and null": [property({ enum: ["a", "b", null] }), { x: "a" }, { x: null }],
  "choices of several types": [
    property({ enum: ["a", 1, true, { b: [] }] }),
    { x: "a" },
    { x: 1 },
    { x: true },
    { x: { b: [] } },
  ],
  "booleans to choose": [property({ type: "boolean", enum: [true] }), { x: true }],
  constants: [
    property({ anyOf: [{ const: "a" }, { const: 1 }, { const: null }, { const: { b: 1 } }] }),
    { x: "a" },
    { x: 1 },
    { x: null },
    { x: { b: 1 } },
  ],
  "one of": [property({ oneOf: [{ type: "string" }, { type: "number" }] }), { x: 1 }, { x: "1" }],
  "one of and any of": [
    property({ oneOf: [{ type: "string" }, { type: "number" }], anyOf: [{ type: "string" }, {}] }),
    { x: 1 },
  ],
  "types beside any of": [
    property({ type: ["string", "number"], anyOf: [{ minimum: 1 }, { maxLength: 1 }] }),
    { x: 1 },
    { x: "1" },
  ],
  numbers: [property({ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9, multipleOf: 0.5 }), { x: 0.5 }],
  texts: [
    property({ type: "string", format: "email", pattern: "^(?=.*@).+$", minLength: 3, maxLength: 9 }),
    { x: "a@b" },
  ],
  "a time": [property({ type: "string", format: "date-time" }), { x: "2026-11-23T00:00:00Z" }],
  "lists with demands": [
    property({ type: "array", items: { type: "string" }, uniqueItems: true, contains: { const: "a" }, minContains: 1 }),
    { x: ["a", "b"] },
  ],
  "names by pattern": [
    property({
      type: "object",
      patternProperties: { "^(.*)$": { type: "number" } },
      additionalProperties: false,
      properties: { y: {} },
    }),
    { x: { y: 1, z: 2 } },
  ],
  "a demand for what is not described": [
    property({ type: "object", required: ["y", "z"], properties: { y: {} } }),
    { x: { y: 1, z: 2 } },
  ],
  dependencies: [
    property({
      type: "object",
      dependentRequired: { a: ["b"] },
      dependentSchemas: { c: { required: ["d"] } },
      propertyNames: { maxLength: 1 },
    }),
    { x: { a: 1, b: 1 } },
  ],
  "schemas that are booleans": [
    { type: "object", properties: { a: true, b: false }, additionalProperties: false },
    { a: 1 },
    {},
  ],
  "an open object": [property({ type: "object", additionalProperties: { type: "number" } }), { x: { any: 1 } }],
  "everything that only describes": [
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/schema",
      $comment: "c",
      type: "object",
      title: "T",
      examples: [{}],
      default: {},
      properties: { a: { default: 1, examples: [2], deprecated: true, readOnly: true, $comment: "d" } },
    },
    { a: 1 },
  ],
  "24 levels": [deep(24)],
  "100 levels": [deep(100)],
};

/** What is no schema of draft 2020-12, from a server that does not check, with inputs that its author means to accept. */
export const MALFORMED: Readonly<Record<string, readonly [schema: unknown, ...inputs: unknown[]]>> = {
  "a tuple of draft 7": [
    property({ type: "array", items: [{ type: "number" }], additionalItems: { type: "string" } }),
    { x: [1, "2"] },
  ],
  "draft 4": [property({ type: "number", minimum: 0, exclusiveMinimum: true }), { x: 1 }],
  "draft 3": [{ type: "object", properties: { a: { type: "string", required: true } } }, { a: "1" }],
  "an empty list of schemas": [property({ anyOf: [], enum: [], type: [] }), { x: 1 }],
  "lengths that are none": [property({ type: "string", minLength: -1, maxLength: "9", pattern: 1 }), { x: "1" }],
  "properties that are no schemas": [{ type: "object", properties: { a: "string" }, required: "a" }, { a: "1" }],
  "properties in a list": [{ type: "object", properties: ["a"], additionalProperties: false }, { a: "1" }],
  references: [
    {
      type: "object",
      $defs: { a: { type: "string" } },
      properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/nowhere" } },
    },
    { a: "1", b: 1 },
  ],
  "no object": [{ type: "string" }, {}],
  "a list": [{ type: "array", items: { type: "string" } }, {}],
};
