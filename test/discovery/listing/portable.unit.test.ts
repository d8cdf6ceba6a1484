/** What is listed in other words, keyword by keyword; and that it never refuses what the author's schema accepts. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../../src/core/model/tool-description.ts";
import { portable } from "../../../src/discovery/listing/portable.ts";
import { cases } from "../../support/tier.ts";

const D = { description: "What." };

/** As written, and as listed. */
const REWRITTEN: Record<string, readonly [written: JsonSchema, listed: JsonSchema]> = {
  "a constant": [
    { const: "a", type: "string", ...D },
    { type: "string", enum: ["a"], ...D },
  ],
  "a choice of constants": [
    { anyOf: ["a", "b"].map((text) => ({ type: "string", const: text })), ...D },
    { type: "string", enum: ["a", "b"], ...D },
  ],
  "a choice of constants that are described": [
    { anyOf: [{ type: "string", const: "a", description: "The first." }], ...D },
    { anyOf: [{ type: "string", enum: ["a"], description: "The first." }], ...D },
  ],
  "the constant null": [{ const: null }, { type: "null" }],
  "a list of types": [
    { type: ["string", "null"], minLength: 1, default: null, ...D },
    { anyOf: [{ type: "string", minLength: 1 }, { type: "null" }], default: null, ...D },
  ],
  "a list of types with choices": [
    { type: ["string", "null"], enum: ["a", null], ...D },
    { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }], ...D },
  ],
  "a list of types of which the choices leave one": [
    { type: ["string", "null"], enum: ["a"] },
    { type: "string", enum: ["a"] },
  ],
  "choices of several types": [{ enum: ["a", null] }, { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] }],
  "items of a list of types": [
    { type: "array", items: { type: ["object", "null"], properties: { a: { const: "x" } } } },
    {
      type: "array",
      items: { anyOf: [{ type: "object", properties: { a: { enum: ["x"] } } }, { type: "null" }] },
    },
  ],
  "a list of types beside a union": [
    { type: ["string", "integer"], anyOf: [{ maxLength: 1 }, { minimum: 1 }] },
    { anyOf: [{ type: "string" }, { type: "integer" }], allOf: [{ anyOf: [{ maxLength: 1 }, { minimum: 1 }] }] },
  ],
  "choices of numbers": [
    { type: "number", enum: [0.5, 0.9], ...D },
    { type: "number", description: "What. One of 0.5, 0.9." },
  ],
  "one choice of true or false": [{ const: true }, { type: "boolean", description: "Always true." }],
  "an empty text": [
    { type: "string", enum: ["", "a"] },
    { type: "string", enum: ["a"] },
  ],
  "only an empty text": [{ type: "string", enum: [""] }, { type: "string" }],
  "an exclusive bound of whole numbers": [
    { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
    { type: "integer", minimum: 1, maximum: 9 },
  ],
  "an exclusive bound of numbers": [
    { type: "number", exclusiveMinimum: 0, description: "How much" },
    { type: "number", minimum: 0, description: "How much. More than 0." },
  ],
  "an exclusive bound beside a narrower one": [
    { type: "number", minimum: 1, exclusiveMinimum: 0 },
    { type: "number", minimum: 1 },
  ],
  "names of any text": [{ type: "object", propertyNames: { type: "string" } }, { type: "object" }],
  "names of choices": [
    { type: "object", propertyNames: { enum: ["a", "b"] } },
    { type: "object", description: "Names: a, b." },
  ],
  "members by pattern": [
    {
      type: "object",
      patternProperties: { "^x-": { type: "string", description: "More." } },
      additionalProperties: false,
    },
    { type: "object", description: "Members with names of the form ^x-: string. More." },
  ],
  "what must not be": [{ not: { const: 5 } }, { not: { const: 5 } }],
  "one of several choices, which then overlap": [
    { oneOf: [{ const: 1 }, { const: 2 }] },
    {
      anyOf: [
        { type: "number", description: "Always 1." },
        { type: "number", description: "Always 2." },
      ],
    },
  ],
  "one of several choices, which stay apart": [{ oneOf: [{ type: "string" }] }, { oneOf: [{ type: "string" }] }],
  "a format": [
    { type: "string", format: "uri", ...D },
    { type: "string", description: "What. A URL." },
  ],
  "a format without a word of its own": [
    { type: "string", format: "x" },
    { type: "string", description: "Format: x." },
  ],
  "a format that all hosts take": [
    { type: "string", format: "date-time" },
    { type: "string", format: "date-time" },
  ],
};

it.each(Object.entries(REWRITTEN))("%s", (_, [written, listed]) => {
  const input = (part: JsonSchema) => ({ type: "object", properties: { p: part } });
  expect(portable(input(written), [])).toEqual(input(listed));
});

it("a rule that is switched off rewrites nothing", () => {
  const rules = ["const", "type-list", "choice-of-values", "empty-choice"] as const;
  const all = [...rules, "exclusive-bound", "names-of-members", "format"] as const;
  for (const [written] of Object.values(REWRITTEN)) expect(portable(written, all)).toEqual(written);
});

describe("what the author's schema accepts, the listing accepts", () => {
  const VALUES: readonly unknown[] = ["", "a", "b", 0, 1, 1.5, 9, true, false, null, [], ["a"], {}, { a: "x" }];
  const values = fc.constantFrom(...VALUES);
  const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
  const ruleOf = (keyword: string, value: fc.Arbitrary<unknown>) => value.map((it): JsonSchema => ({ [keyword]: it }));
  const choices = fc.uniqueArray(values, { minLength: 1, maxLength: 4, selector: (value) => JSON.stringify(value) });
  const rule = fc.oneof(
    ruleOf("type", types),
    ruleOf("type", fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    ruleOf("enum", choices),
    ruleOf("const", values),
    ruleOf("minimum", fc.constantFrom(0, 1)),
    ruleOf("exclusiveMinimum", fc.constantFrom(-1, 0, 0.5)),
    ruleOf("exclusiveMaximum", fc.constantFrom(1, 1.5, 10)),
    ruleOf("minLength", fc.constant(1)),
    ruleOf("format", fc.constantFrom("uri", "date")),
    ruleOf("propertyNames", fc.constantFrom<object>({ type: "string" }, { enum: ["a"] })),
    fc.constant<JsonSchema>({ patternProperties: { "^a": { type: "string" } }, additionalProperties: false }),
  );
  const merged = (parts: readonly JsonSchema[]): JsonSchema => Object.assign({}, ...parts);
  /** With schemas in it, to a depth. */
  const schemasOf = (depth: number): fc.Arbitrary<JsonSchema> => {
    const rules = fc.array(rule, { maxLength: 3 }).map(merged);
    if (depth === 0) return rules;
    const inner = schemasOf(depth - 1);
    const part = fc.oneof(
      ruleOf("anyOf", fc.array(inner, { minLength: 1, maxLength: 2 })),
      ruleOf("oneOf", fc.array(inner, { minLength: 1, maxLength: 2 })),
      ruleOf("not", inner),
      ruleOf("if", inner),
      ruleOf("then", inner),
      ruleOf("unevaluatedProperties", fc.constant(false)),
      ruleOf("contains", inner),
      ruleOf("items", inner),
      ruleOf("properties", fc.record({ a: inner })),
    );
    return fc.tuple(rules, fc.array(part, { maxLength: 2 })).map(([own, parts]) => merged([own, ...parts]));
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

  it("for random schemas, and values of all kinds", () => {
    let accepted = 0;
    const holds = (schema: JsonSchema) => {
      // A listing without the empty text refuses it: that is the one value that is accepted and not listed.
      const listed = portable(schema, ["empty-choice"]);
      const [takes, lists] = [ajv.compile(schema), ajv.compile(listed)];
      for (const value of VALUES.filter((value) => takes(value))) {
        accepted++;
        const said = `${JSON.stringify(value)} by ${JSON.stringify(schema)}, listed as ${JSON.stringify(listed)}`;
        expect(lists(value), said).toBe(true);
      }
    };
    const numRuns = cases(150, 5_000);
    fc.assert(fc.property(schemasOf(2), holds), { seed: 38, numRuns });
    expect(accepted).toBeGreaterThan(numRuns);
  });
});
