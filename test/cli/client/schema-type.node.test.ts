/** The types of JSON Schemas: as text, and as the compiler judges values with them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { typeOf } from "../../../src/cli/client/schema-type.ts";
import { mayStart } from "../../support/node/processes.ts";
import { typeErrors } from "../../support/node/type-errors.ts";

// The type checker.
mayStart(2);

interface Case {
  readonly schema: unknown;
  /** Values of the type, as JSON. */
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const named = { type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a"] };
const CASES: Readonly<Record<string, Case>> = {
  string: { schema: { type: "string", minLength: 2 }, good: ["x", ""], bad: [1, null] },
  integer: { schema: { type: "integer" }, good: [1, 1.5], bad: ["1"] },
  "several types": { schema: { type: ["string", "null"] }, good: ["x", null], bad: [1] },
  nullable: { schema: { type: "string", nullable: true }, good: ["x", null], bad: [1] },
  const: { schema: { const: "a" }, good: ["a"], bad: ["b", null] },
  "const of an object": { schema: { const: { a: [1, null] } }, good: [{ a: [1, null] }], bad: [{ a: [2, null] }] },
  enum: { schema: { enum: ["a", 1, null, false] }, good: ["a", 1, null, false], bad: ["b", 2, true] },
  anyOf: { schema: { anyOf: [{ type: "number" }, { type: "null" }] }, good: [1, null], bad: ["1"] },
  oneOf: { schema: { oneOf: [named, { type: "string" }] }, good: [{ a: 1 }, "x"], bad: [{}, 1] },
  allOf: {
    schema: { allOf: [named, { type: "object", properties: { c: { const: 1 } }, required: ["c"] }] },
    good: [{ a: 1, c: 1 }],
    bad: [{ a: 1 }, { c: 1 }],
  },
  "anyOf beside properties": {
    schema: {
      ...named,
      anyOf: [
        { properties: { c: { const: 1 } }, required: ["c"] },
        { properties: { d: { const: 1 } }, required: ["d"] },
      ],
    },
    good: [
      { a: 1, c: 1 },
      { a: 1, d: 1 },
    ],
    bad: [{ a: 1 }, { c: 1 }],
  },
  "anyOf that only says what is required": {
    schema: { ...named, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    good: [{ a: 1 }],
    bad: [{ a: "1" }],
  },
  properties: { schema: named, good: [{ a: 1 }, { a: 1, b: "x" }], bad: [{}, { a: 1, c: 1 }, { a: 1, b: 2 }, []] },
  "properties without a type": { schema: { properties: named.properties }, good: [{}, { a: 1 }], bad: [{ a: "1" }, 1] },
  "more properties": {
    schema: { ...named, additionalProperties: { type: "string" } },
    good: [{ a: 1, c: "x" }],
    bad: [{ c: "x" }],
  },
  "only more properties": {
    schema: { type: "object", additionalProperties: { type: "string" } },
    good: [{}, { c: "x" }],
    bad: [{ c: 1 }],
  },
  patternProperties: {
    schema: { type: "object", patternProperties: { "^x": { type: "string" }, "^y": { type: "number" } } },
    good: [{ x: "x", y: 1 }],
    bad: [{ x: null }],
  },
  "no properties": { schema: { type: "object", additionalProperties: false }, good: [{}], bad: [{ a: 1 }] },
  "an object of anything": { schema: { type: "object" }, good: [{}, { a: 1 }], bad: [1] },
  items: { schema: { type: "array", items: { enum: ["a", "b"] } }, good: [[], ["a", "b", "a"]], bad: [["c"], "a"] },
  "an array of anything": { schema: { type: "array" }, good: [[], [1, "a"]], bad: [{}] },
  "a tuple": {
    schema: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false, minItems: 2 },
    good: [[1, "a"]],
    bad: [[1], [1, "a", 2], ["a", 1], []],
  },
  "a tuple that may be shorter": {
    schema: {
      type: "array",
      prefixItems: [{ type: "number" }, { type: ["string", "null"] }],
      items: false,
      minItems: 1,
    },
    good: [[1], [1, "a"], [1, null]],
    bad: [[], [1, 2]],
  },
  "a tuple that may be longer": {
    schema: { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } },
    good: [[], [1], [1, "a", "b"]],
    bad: [["a"], [1, 2]],
  },
  "a tuple of draft 7": {
    schema: { type: "array", items: [{ type: "number" }], additionalItems: false, minItems: 1 },
    good: [[1]],
    bad: [[], [1, 2]],
  },
  nothing: { schema: false, good: [], bad: [1, null, {}] },
  anything: { schema: {}, good: [1, null, {}, []], bad: [] },
  "a reference": { schema: { $ref: "#/$defs/a" }, good: [1, null, {}], bad: [] },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trivet-types-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("lets the compiler take the values that a schema allows, and no others", () => {
  const lines = Object.entries(CASES).flatMap(([name, { schema, good, bad }], at) => [
    `// ${name}`,
    ...[false, true].flatMap((isInput) => {
      const type = `T${at}${isInput ? "In" : "Out"}`;
      return [
        `export type ${type} = ${typeOf(schema, { isInput })};`,
        `export const good${type}: ${type}[] = [`,
        ...good.map((value) => `${JSON.stringify(value)},`),
        "];",
        ...bad.flatMap((value, number) => [
          "// @ts-expect-error",
          `export const bad${type}${number}: ${type} = ${JSON.stringify(value)};`,
        ]),
      ];
    }),
  ]);
  writeFileSync(join(folder, "types.ts"), lines.join("\n"));
  expect(typeErrors(join(folder, "types.ts"), "es2022", "")).toBe("");
});

it("takes read-only arrays for inputs", () => {
  const schema = { type: "array", items: { type: "array", prefixItems: [{ type: "number" }], items: false } };
  expect(typeOf(schema, { isInput: true })).toBe("readonly (readonly [number?])[]");
  expect(typeOf(schema)).toBe("[number?][]");
});

describe("is text that can be read", () => {
  it("with the descriptions, and lines as deep as they are", () => {
    const schema = {
      type: "object",
      properties: {
        a: { type: "string", description: "One.\nTwo." },
        "b-c": { type: "object", properties: { d: { type: "null", deprecated: true, description: "Old" } } },
      },
      required: ["a"],
    };
    expect(typeOf(schema, { pad: "  " })).toBe(`{
    /**
     * One.
     * Two.
     */
    a: string;
    "b-c"?: {
      /**
       * Old
       *
       * Deprecated.
       */
      d?: null;
    };
  }`);
  });
});

describe("bounds what the compiler has to do", () => {
  it("a choice of very many values is their type", () => {
    const values = Array.from({ length: 1_000 }, (_, number) => `v${number}`);
    expect(typeOf({ enum: [...values, 1] })).toBe("string | number");
  });

  it("choices are not multiplied", () => {
    const choice = { anyOf: [{ const: "a" }, { const: "b" }] };
    expect(typeOf({ allOf: [choice, choice, choice] })).toBe('"a" | "b"');
  });

  it("the same type twice is read once, lest each level doubles the text", () => {
    let schema: object = { type: "string" };
    for (let level = 0; level < 20; level++) schema = { type: ["object", "object"], properties: { a: schema } };
    expect(typeOf(schema).length).toBeLessThan(5_000);
  });

  it("what is too deep is unknown", () => {
    let schema: object = { type: "string" };
    for (let level = 0; level < 5_000; level++) schema = { type: "array", items: schema };
    expect(typeOf(schema)).toMatch(/^unknown(\[\])+$/);
    let value: unknown = 1;
    for (let level = 0; level < 5_000; level++) value = [value];
    expect(typeOf({ const: value })).toContain("unknown");
  });
});

describe("reads schemas that are none", () => {
  it.each([
    [null, "unknown"],
    ["string", "unknown"],
    [[], "unknown"],
    [{ type: "text" }, "unknown"],
    [{ type: 1 }, "unknown"],
    [{ type: [] }, "unknown"],
    [{ type: "object", properties: [], required: "a" }, "Record<string, unknown>"],
    [{ type: "object", properties: { a: null }, required: [1, {}] }, "{\n  a?: unknown;\n}"],
    [{ enum: "a" }, "unknown"],
    [{ enum: [] }, "never"],
    [{ anyOf: "a" }, "unknown"],
    [{ type: "array", prefixItems: "a", minItems: "2" }, "unknown[]"],
    [{ const: Number.POSITIVE_INFINITY }, "number"],
  ])("%j is %s", (schema, expected) => expect(typeOf(schema)).toBe(expected));
});
