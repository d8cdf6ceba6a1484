/** Examples of inputs: of usual schemas they are valid, and no schema is too odd for one. */
import { Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import { exampleOf } from "../../../../../src/features/page/browser/form/example.ts";

const text = { type: "string" };
const object = (properties: object, required = Object.keys(properties)) => ({ type: "object", properties, required });

it("has the required members alone, with what the schema gives for them", () => {
  const schema = object(
    {
      fixed: { const: "v1", default: "v2" },
      usual: { type: "integer", default: 5, examples: [6] },
      likely: { type: "string", examples: ["Bern", "Chur"] },
      unit: { enum: ["C", "F"] },
      colour: { oneOf: [{ const: "#f00", title: "Red" }] },
      none: { const: null },
      off: { type: "boolean", default: false },
      left: text,
    },
    ["fixed", "usual", "likely", "unit", "colour", "none", "off"],
  );
  const expected = { fixed: "v1", usual: 5, likely: "Bern", unit: "C", colour: "#f00", none: null, off: false };
  expect(exampleOf(schema)).toEqual(expected);
  expect(exampleOf({ ...schema, examples: [{ unit: "F" }] })).toEqual({ unit: "F" });
});

it.each<[string, object, unknown]>([
  ["a text", text, "…"],
  ["a web address", { ...text, format: "uri" }, "https://example.com/"],
  ["a text of an unknown format", { ...text, format: "constructor" }, "…"],
  ["a number", { type: "number" }, 1],
  ["a number of at least 10", { type: "number", minimum: 10 }, 10],
  ["a number of at most -3", { type: "integer", maximum: -3 }, -3],
  ["a number of more than 4", { type: "integer", exclusiveMinimum: 4 }, 5],
  ["a number of less than 0", { type: "integer", exclusiveMaximum: 0 }, -1],
  ["a range of 0 and 0", { type: "integer", minimum: 0, maximum: 0 }, 0],
  ["yes or no", { type: "boolean" }, true],
  ["null", { type: "null" }, null],
  ["a list", { type: "array", items: text }, []],
  ["a list that may not be empty", { type: "array", items: text, minItems: 3 }, ["…"]],
  ["a list of anything", { type: "array", minItems: 1 }, ["…"]],
  ["a tuple", { type: "array", prefixItems: [text, { type: "boolean" }], minItems: 2 }, ["…", true]],
  ["a tuple of an older draft", { items: [text, { type: "number" }] }, ["…", 1]],
  ["one of several types", { type: ["null", "integer", "string"] }, 1],
  ["a type alone in a list", { type: ["boolean"] }, true],
  ["something or null", { anyOf: [{ type: "null" }, { type: "number" }] }, 1],
  [
    "one of several groups",
    { oneOf: [object({ is: { const: "a" }, n: { type: "number" } }), text] },
    { is: "a", n: 1 },
  ],
  ["a type that follows from keywords", { properties: { a: text }, required: ["a"] }, { a: "…" }],
  ["anything", {}, "…"],
])("of %s", (_name, schema, expected) => {
  expect(exampleOf(object({ it: schema }))).toEqual({ it: expected });
});

it("follows references and allOf", () => {
  const schema = {
    allOf: [object({ a: { $ref: "#/$defs/count" } }), { properties: { b: text }, required: ["b"] }],
    $defs: { count: { type: "integer", minimum: 7 } },
  };
  expect(exampleOf(schema)).toEqual({ a: 7, b: "…" });
  expect(new Validator(schema as object, "2020-12").validate(exampleOf(schema)).valid).toBe(true);
});

it("has members of any name", () => {
  const schema = {
    properties: JSON.parse('{"__proto__": {"type": "integer"}}'),
    additionalProperties: { type: "boolean" },
    required: ["__proto__", "constructor", "free"],
  };
  expect(JSON.stringify(exampleOf(schema))).toBe('{"__proto__":1,"constructor":true,"free":true}');
});

it("ends, though the schema does not", () => {
  const self = { $ref: "#" };
  const tree = object({ left: self, right: self });
  expect(JSON.stringify(exampleOf(tree)).length).toBeLessThan(1_000);
  expect(exampleOf({ type: "array", items: self, minItems: 1 })).toEqual({});
  expect(exampleOf({ anyOf: [self, { type: "null" }] })).toEqual({});
  expect(exampleOf(self)).toEqual({});
  expect(exampleOf(object({ all: { type: "array", minItems: 1e9 } }))).toEqual({ all: ["…"] });
});

it("ends early, though the schema has more than anyone could make", () => {
  const twice = (keyword: string) => ({
    $ref: "#/$defs/d0",
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => {
        const next = { $ref: `#/$defs/d${at + 1}` };
        return [`d${at}`, { [keyword]: [next, next], required: ["a"] }];
      }),
    ),
  });
  for (const keyword of ["allOf", "anyOf", "oneOf"]) expect(exampleOf(twice(keyword))).toBeTypeOf("object");
  const names = Array.from({ length: 200 }, (_, at) => `n${at}`);
  const wide = object(Object.fromEntries(names.map((name) => [name, { $ref: "#" }])));
  expect(JSON.stringify(exampleOf(wide)).length).toBeLessThan(30_000);
  let deep: object = text;
  for (let depth = 0; depth < 50_000; depth++) deep = { allOf: [deep] };
  expect(exampleOf(object({ deep }))).toEqual({ deep: "…" });
});

it.each<object>([
  {},
  { type: 5, properties: [], required: "x", enum: 3, oneOf: {}, allOf: 1 },
  { type: "array", default: [1] },
  { type: "string", default: "x" },
  { enum: [] },
  { oneOf: [] },
  { properties: { a: true, b: false, c: null, d: 5 }, required: ["a", "b", "c", "d", 6, null] },
  { properties: { a: { $ref: "https://a.example/b" }, b: { $ref: "#/%zz" } }, required: ["a", "b"] },
  { properties: { a: { minItems: -2, items: [] }, b: { type: [] }, c: { enum: [] } }, required: ["a", "b", "c"] },
])("is an object for the odd schema %j", (schema) => {
  expect(exampleOf(schema as Record<string, unknown>)).toBeTypeOf("object");
  expect(Array.isArray(exampleOf(schema as Record<string, unknown>))).toBe(false);
});
