/** What is said of an input that does not fit. */
import { expect, it } from "vitest";
import { checkInput } from "../../../../src/cli/call/input/check.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const said = (input: unknown, schema: Record<string, unknown>) =>
  checkInput(input, schema).map(({ path, what }) => `${path} ${what}`);

it.each<[object, Record<string, unknown>, string[]]>([
  [{}, object({ a: {} }, { required: ["a"] }), ["a is missing"]],
  [{ a: "x" }, object({ a: { type: "number" } }), ['a must be a number, and is "x"']],
  [{ a: 1.5 }, object({ a: { type: "integer", minimum: 2 } }), ["a must be a whole number, and is 1.5"]],
  [{ a: 1 }, object({ a: { minimum: 2 } }), ["a must be 2 or more, and is 1"]],
  [{ a: 1 }, object({ a: { exclusiveMinimum: 1 } }), ["a must be more than 1, and is 1"]],
  [{ a: 3 }, object({ a: { maximum: 2 } }), ["a must be 2 or less, and is 3"]],
  [{ a: 3 }, object({ a: { exclusiveMaximum: 3 } }), ["a must be less than 3, and is 3"]],
  [{ a: 3 }, object({ a: { multipleOf: 2 } }), ["a must be a multiple of 2, and is 3"]],
  [{ a: "" }, object({ a: { minLength: 1 } }), ["a must have at least 1 character"]],
  [{ a: "xx" }, object({ a: { maxLength: 1 } }), ["a must have at most 1 character"]],
  [{ a: "x" }, object({ a: { pattern: "^y" } }), ["a must match ^y"]],
  [{ a: "x" }, object({ a: { format: "email" } }), ['a must have the format "email"']],
  [{ a: "x" }, object({ a: { enum: ["y", "a b"] } }), ['a must be y or "a b", and is "x"']],
  [{ a: [] }, object({ a: { minItems: 1 } }), ["a must have at least 1 member"]],
  [{ a: [1, 1] }, object({ a: { uniqueItems: true } }), ["a must not have the same member twice"]],
  [{ a: [1, "x"] }, object({ a: { items: { type: "number" } } }), ['a.1 must be a number, and is "x"']],
  [
    { a: true },
    object({ a: { anyOf: [{ type: "number" }, { type: "string" }] } }),
    ["a must be a number or text, and is true"],
  ],
  [{ a: {} }, object({ a: object({ b: {} }, { required: ["b"] }) }), ["a.b is missing"]],
  [{ naem: 1 }, object({ name: {} }), ["naem is not one of its parameters: did you mean name?"]],
  [{ a: { c: 1 } }, object({ a: object({ b: {} }) }), ["a.c is not one of its parameters"]],
  [{ x: 1 }, object({ a: {} }, { additionalProperties: false }), ["x is not one of its parameters"]],
  [{ x: 1 }, object({ a: {} }, { additionalProperties: true }), []],
  [{ x: 1 }, object({ a: {} }, { patternProperties: { "^x": {} } }), []],
  [{ a: 1, b: 1 }, object({}, { required: ["c"], additionalProperties: { type: "number" } }), ["c is missing"]],
  [{ "a/b": "x" }, object({ "a/b": { type: "number" } }), ['a/b must be a number, and is "x"']],
])("%j: %j", (input, schema, problems) => {
  expect(said(input, schema)).toEqual(problems);
});

it("a schema that cannot be used is left to the server", () => {
  expect(said({ a: 1 }, object({ a: { $ref: "#/$defs/gone" } }))).toEqual([]);
});
