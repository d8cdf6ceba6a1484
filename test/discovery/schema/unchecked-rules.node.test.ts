/**
 * A call refuses what the described schema refuses, except where the library changes the value first: compares each
 * library's verdict with an independent validator.
 */
import { type Schema, Validator } from "@cfworker/json-schema";
import { scope, type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  areEqual,
  areUnique,
  type Check,
  checked,
  choicesOf,
  lengthOf,
} from "../../../src/core/catalog/compiled-check.ts";
import type { ToolDefinition } from "../../../src/core/model/definition.ts";
import { type StandardSchema, validate } from "../../../src/core/model/schema.ts";
import { openWhereMarked, withoutMarks } from "../../../src/discovery/schema/changed.ts";
import { compile } from "../../../src/discovery/schema/compile.ts";
import { describeInput } from "../../../src/discovery/schema/describe-schema.ts";
import { changeAll } from "../../../src/discovery/schema/flatten-schema.ts";
import { uncheckedRulesOf } from "../../../src/discovery/schema/unchecked-rules.ts";
import { cases } from "../../support/tier.ts";

/** A tool with this one parameter as the Worker loads it, and its published schema. */
async function published(parameters: unknown) {
  const described = describeInput(parameters, () => {});
  if (described === undefined) throw new Error("it is not listed");
  const listed = withoutMarks(described);
  const uncheckedRules = uncheckedRulesOf(parameters, described);
  const own = parameters as StandardSchema;
  const tool = { version: "1.0.0", description: "It.", input: own, run: () => {} } as ToolDefinition;
  const check = uncheckedRules && evaluate(compile(uncheckedRules));
  const checks = Promise.resolve({ default: [{ input: check }] });
  const { default: held } = await checked(Promise.resolve({ default: tool }), checks);
  const { input = own } = held as ToolDefinition;
  // `format` describes, but refuses nothing; the independent validator would enforce it.
  const plain = changeAll(openWhereMarked(described), ({ format: _, ...rest }) => rest);
  const validator = new Validator(plain as Schema, "2020-12");
  return { listed, uncheckedRules, own, input, refuses: (value: unknown) => !validator.validate(value).valid };
}

function evaluate(code: string): Check {
  const called = { areEqual, areUnique, choicesOf, lengthOf };
  return new Function(...Object.keys(called), `return ${code};`)(...Object.values(called));
}

async function takes(schema: StandardSchema, input: object): Promise<boolean> {
  try {
    return (await validate(schema, { __proto__: null, ...input })).issues === undefined;
  } catch {
    return false;
  }
}

const NAMES = ["x", "y", "k", "0", "constructor", "toString"];
const text = fc.constantFrom("", "a", "A", "b", "ab", " a ", "abc", "\u{1f600}", "\u{1f600}\u{1f600}", "\ud800", "5");
const number = fc.constantFrom(0, 1, 2, 5, 1.5, -1, 100);
/** Small values, which match often and miss narrowly. */
const json: fc.Arbitrary<unknown> = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, number, fc.constantFrom<unknown>(true, false, null)),
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("json"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

const leafOf = <S>(...schemas: S[]) => fc.constantFrom(...schemas);

const valibot = fc.letrec<{ node: v.GenericSchema }>((tie) => {
  const node = tie("node");
  const objects = [v.object, v.looseObject, v.strictObject] as unknown as ((entries: object) => v.GenericSchema)[];
  const tuples = [v.tuple, v.looseTuple, v.strictTuple] as unknown as ((items: unknown[]) => v.GenericSchema)[];
  const entry = fc.tuple(node, fc.boolean()).map(([inner, may]) => (may ? v.optional(inner) : inner));
  const entries = fc.dictionary(fc.constantFrom(...NAMES), entry, { maxKeys: 3 });
  return {
    node: fc.oneof(
      { depthSize: "small" },
      leafOf<v.GenericSchema>(
        v.string(),
        ...[1, 2, 3].map((length) => v.pipe(v.string(), v.minLength(length))),
        v.pipe(v.string(), v.length(2)),
        v.pipe(v.string(), v.maxLength(1)),
        v.pipe(v.string(), v.nonEmpty()),
        v.pipe(v.string(), v.regex(/^..$/)),
        v.pipe(v.string(), v.regex(/^a$/i)),
        v.pipe(v.string(), v.regex(/^[\w_]*$/)),
        v.pipe(v.string(), v.startsWith("a")),
        v.pipe(v.string(), v.email()),
        v.pipe(v.string(), v.trim(), v.maxLength(2)),
        v.pipe(v.string(), v.toLowerCase(), v.regex(/^[a-z ]*$/)),
        v.pipe(v.string(), v.transform(Number), v.number()),
        v.number(),
        v.pipe(v.number(), v.integer(), v.minValue(1)),
        v.pipe(v.number(), v.toMinValue(1), v.minValue(1)),
        v.pipe(v.number(), v.multipleOf(2)),
        v.fallback(v.number(), 5),
        v.boolean(),
        v.null(),
        v.unknown(),
        v.picklist(["a", "ab", "5"]),
        v.literal(1),
        v.object({}),
      ),
      node.map((inner) => v.array(inner)),
      node.map((inner) => v.pipe(v.array(inner), v.minLength(2))),
      node.map((inner) => v.pipe(v.array(inner), v.filterItems(Boolean), v.maxLength(1))),
      node.map((inner) => v.nullable(inner)),
      node.map((inner) => v.record(v.string(), inner)),
      node.map((inner) => v.record(v.picklist(["x", "0"]), inner)),
      fc.tuple(fc.constantFrom(...objects), entries).map(([object, members]) => object(members)),
      fc.tuple(entries, node).map(([members, rest]) => v.objectWithRest(members, rest)),
      fc.tuple(fc.constantFrom(...tuples), fc.array(node, { maxLength: 2 })).map(([tuple, items]) => tuple(items)),
      fc.tuple(node, node).map(([first, rest]) => v.tupleWithRest([first], rest)),
      fc.tuple(node, node).map((options) => v.union(options)),
      fc
        .tuple(entries, entries, fc.constantFrom("a", "b"))
        .map(([one, other, k]) =>
          v.variant("k", [v.object({ ...one, k: v.literal("a") }), v.object({ ...other, k: v.literal(k) })]),
        ),
    ),
  };
}).node;

const zod = fc.letrec<{ node: z.ZodType }>((tie) => {
  const node = tie("node");
  const objects = [z.object, z.looseObject, z.strictObject] as ((shape: Record<string, z.ZodType>) => z.ZodType)[];
  const entry = fc.tuple(node, fc.boolean()).map(([inner, may]) => (may ? inner.optional() : inner));
  const entries = fc.dictionary(fc.constantFrom(...NAMES), entry, { maxKeys: 3 });
  return {
    node: fc.oneof(
      { depthSize: "small" },
      leafOf<z.ZodType>(
        z.string(),
        z.string().min(1),
        z.string().min(2),
        z.string().length(3),
        z.string().max(1),
        z.string().regex(/^..$/),
        z.string().regex(/^a$/i),
        z.string().trim().max(2),
        z
          .string()
          .toLowerCase()
          .regex(/^[a-z ]*$/),
        z.string().transform(Number),
        z.email(),
        z.coerce.number(),
        z.coerce.string(),
        z.preprocess(Number, z.number()),
        z.number(),
        z.int().min(1),
        z.number().multipleOf(2),
        z.number().catch(5),
        z.boolean(),
        z.null(),
        z.unknown(),
        z.enum(["a", "ab"]),
        z.literal(1),
      ),
      node.map((inner) => z.array(inner)),
      node.map((inner) => z.array(inner).min(2)),
      node.map((inner) => inner.nullable()),
      node.map((inner) => z.record(z.string(), inner)),
      node.map((inner) => z.partialRecord(z.enum(["x", "0"]), inner)),
      fc.tuple(fc.constantFrom(...objects), entries).map(([object, members]) => object(members)),
      fc.tuple(entries, node).map(([members, rest]) => z.object(members).catchall(rest)),
      fc.tuple(node, node).map(([first, rest]) => z.tuple([first], rest)),
      node.map((inner) => z.tuple([inner])),
      fc.tuple(node, node).map((options) => z.union(options)),
      fc
        .tuple(entries, entries)
        .map(([one, other]) =>
          z.discriminatedUnion("k", [
            z.object({ ...one, k: z.literal("a") }),
            z.object({ ...other, k: z.literal("b") }),
          ]),
        ),
    ),
  };
}).node;

const arktype = fc.letrec<{ node: unknown }>((tie) => {
  const node = tie("node");
  const key = fc.constantFrom("x", "y?", "k", "0?", "constructor?");
  return {
    node: fc.oneof(
      { depthSize: "small" },
      leafOf(
        ...["string", "string >= 2", "string == 2", "string <= 1", "number", "number.integer > 0", "number % 2"],
        ...["boolean", "null", "unknown", "'a' | 'ab'", "1", "object", "Record<string, number>", "string.email"],
        ...["string[]", "unknown[] >= 2", "string | null", "/^..$/", "/^a$/i", "string.trim", "string.numeric.parse"],
      ),
      node.map((inner) => [inner, "[]"]),
      fc.tuple(node, node).map(([one, other]) => [one, other]),
      fc.dictionary(key, node, { maxKeys: 3 }),
      fc.dictionary(key, node, { maxKeys: 2 }).map((members) => ({ "+": "reject", ...members })),
    ),
  };
}).node;

interface Library {
  readonly parameter: fc.Arbitrary<unknown>;
  /** Parameters with one called `p`, and a simple one called `q`. */
  readonly whole: readonly ((p: never) => unknown)[];
}

const LIBRARIES: Readonly<Record<string, Library>> = {
  valibot: {
    parameter: valibot,
    whole: [
      (p: v.GenericSchema) => v.object({ p: v.optional(p), q: v.number() }),
      (p: v.GenericSchema) => v.strictObject({ p, q: v.number() }),
      (p: v.GenericSchema) => v.objectWithRest({ p, q: v.number() }, v.string()),
      (p: v.GenericSchema) => v.intersect([v.object({ p }), v.object({ q: v.number() })]),
      (p: v.GenericSchema) => v.union([v.object({ p, q: v.number() }), v.object({ p: v.optional(v.string()) })]),
    ],
  },
  zod: {
    parameter: zod,
    whole: [
      (p: z.ZodType) => z.object({ p: p.optional(), q: z.number() }),
      (p: z.ZodType) => z.strictObject({ p, q: z.number() }),
      (p: z.ZodType) => z.object({ p, q: z.number() }).catchall(z.string()),
      (p: z.ZodType) => z.intersection(z.object({ p }), z.object({ q: z.number() })),
      (p: z.ZodType) => z.union([z.object({ p, q: z.number() }), z.object({ p: z.string().optional() })]),
    ],
  },
  arktype: {
    parameter: arktype,
    whole: [
      (p: unknown) => type({ "p?": p, q: "number" } as never),
      (p: unknown) => type({ p, q: "number", "+": "reject" } as never),
      (p: unknown) => type({ p } as never).and({ q: "number" } as never),
    ],
  },
};

const more = fc.constantFrom<object>(
  { q: 1 },
  { q: 1 },
  { q: 1 },
  {},
  { q: "1" },
  { q: 1, constructor: 1 },
  { q: 1, z: "" },
);
const inputs = fc.array(
  fc.tuple(json, more).map(([p, others]) => ({ p, ...others })),
  { minLength: 25, maxLength: 25 },
);

describe.each(Object.entries(LIBRARIES))(
  "what the published schema refuses, %s with its check refuses",
  (_, library) => {
    it("and accepts whatever both accept", async () => {
      let letPass = 0;
      let taken = 0;
      const whole = fc.constantFrom(...library.whole);
      const run = async (parameter: unknown, around: (p: never) => unknown, candidates: readonly object[]) => {
        const tool = await publishedIfPossible(() => around(parameter as never));
        if (tool === undefined) return;
        for (const input of candidates) {
          const own = await takes(tool.own, input);
          const held = await takes(tool.input, input);
          const refused = tool.refuses(input);
          if (own && refused) letPass++;
          if (own && !refused) taken++;
          if (held !== (own && !refused)) {
            const verdict = held ? "passes" : "is refused";
            throw new Error(`${JSON.stringify(input)} ${verdict}: ${JSON.stringify(tool.listed)}`);
          }
        }
      };
      const options = { seed: 17, numRuns: cases(20, 150) };
      await fc.assert(fc.asyncProperty(library.parameter, whole, inputs, run), options);
      // Both occur: a library that enforced its whole published schema would need no check.
      expect(letPass).toBeGreaterThan(cases(1, 5));
      expect(taken).toBeGreaterThan(cases(10, 100));
    });
  },
);

const list = (text: unknown) => (typeof text === "string" && text.startsWith("[") ? JSON.parse(text) : text);

/** Schemas whose authors mend what callers send: what is listed of `p`, what is accepted, what is refused. */
const MENDED: readonly [as: string, parameters: () => unknown, listed: object, good: object[], bad: object[]][] = [
  ["zod: coerce, number", () => z.object({ p: z.coerce.number() }), { type: "number" }, [{ p: "5" }], [{ p: "x" }]],
  ["zod: coerce, true or false", () => z.object({ p: z.coerce.boolean() }), { type: "boolean" }, [{ p: "yes" }], [{}]],
  [
    "zod: preprocess",
    () => z.object({ p: z.preprocess(list, z.array(z.string())) }),
    { type: "array", items: { type: "string" } },
    [{ p: '["a"]' }, { p: ["a"] }],
    [{ p: "a" }, { p: [1] }, {}],
  ],
  ["zod: catch", () => z.object({ p: z.number().catch(5) }), { type: "number", default: 5 }, [{ p: "x" }, {}], []],
  ["zod: catch, computed", () => z.object({ p: z.number().catch(() => 5) }), { type: "number" }, [{ p: "x" }, {}], []],
  [
    "zod: trim, then a length",
    () => z.object({ p: z.string().trim().max(3) }),
    { type: "string" },
    [{ p: "  abc  " }],
    [{ p: "abcd" }],
  ],
  [
    "zod: a length, then trim",
    () => z.object({ p: z.string().max(3).trim() }),
    { type: "string", maxLength: 3 },
    [{ p: " a " }],
    [{ p: " ab " }],
  ],
  [
    "zod: lower case, then a pattern",
    () =>
      z.object({
        p: z
          .string()
          .toLowerCase()
          .regex(/^[a-z]+$/),
      }),
    { type: "string" },
    [{ p: "AbC" }],
    [{ p: "1" }, { p: 1 }],
  ],
  [
    "zod: beside a member that is not mended",
    () => z.object({ p: z.object({ n: z.coerce.number(), m: z.number() }), q: z.string().min(2) }),
    { type: "object", properties: { n: { type: "number" }, m: { type: "number" } }, required: ["n", "m"] },
    [{ p: { n: "1", m: 1 }, q: "ab" }],
    [
      { p: { n: "1", m: "1" }, q: "ab" },
      { p: { n: "1", m: 1 }, q: "\u{1f600}" },
    ],
  ],
  [
    "zod: in a list and a choice",
    () => z.object({ p: z.array(z.union([z.coerce.number(), z.null()])) }),
    { type: "array", items: { anyOf: [{ type: "number" }, { type: "null" }] } },
    [{ p: ["1", null, 2] }],
    [{ p: ["x"] }, { p: "1" }],
  ],
  [
    "zod: all parameters",
    () => z.preprocess((it) => it ?? {}, z.object({ p: z.number() })),
    { type: "number" },
    [{ p: 1 }],
    [{}],
  ],
  [
    "zod: a choice by a name",
    () =>
      z.object({
        p: z.discriminatedUnion("k", [
          z.object({ k: z.literal("a"), n: z.coerce.number() }),
          z.object({ k: z.literal("b") }),
        ]),
      }),
    { oneOf: [{ properties: { n: { type: "number" } } }, {}] },
    [{ p: { k: "a", n: "1" } }, { p: { k: "b" } }],
    [{ p: { k: "a", n: "x" } }, { p: { k: "c" } }],
  ],
  ["valibot: fallback", () => v.object({ p: v.fallback(v.number(), 5) }), { type: "number" }, [{ p: "x" }, {}], []],
  [
    "valibot: fallback in a pipe",
    () => v.object({ p: v.pipe(v.fallback(v.string(), "a"), v.trim(), v.maxLength(2)) }),
    { type: "string" },
    [{ p: 5 }, { p: " ab " }, {}],
    [{ p: "abc" }],
  ],
  [
    "valibot: trim, then a length",
    () => v.object({ p: v.pipe(v.string(), v.trim(), v.maxLength(3)) }),
    { type: "string" },
    [{ p: "  abc  " }],
    [{ p: "abcd" }, { p: 1 }],
  ],
  [
    "valibot: a length, then trim",
    () => v.object({ p: v.pipe(v.string(), v.maxLength(3), v.trim()) }),
    { type: "string", maxLength: 3 },
    [{ p: " a " }],
    [{ p: " ab " }],
  ],
  [
    "valibot: lower case, then a pattern",
    () => v.object({ p: v.pipe(v.string(), v.toLowerCase(), v.regex(/^[a-z]+$/)) }),
    { type: "string" },
    [{ p: "AbC" }],
    [{ p: "1" }],
  ],
  [
    "valibot: a greatest value to which others are set",
    () => v.object({ p: v.pipe(v.number(), v.toMaxValue(10), v.maxValue(10)) }),
    { type: "number" },
    [{ p: 99 }],
    [{ p: "9" }],
  ],
  [
    "valibot: a text or a number that becomes a number",
    () => v.object({ p: v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.number(), v.minValue(1)) }),
    { anyOf: [{ type: "string" }, { type: "number" }] },
    [{ p: "5" }, { p: 5 }],
    [{ p: "0" }, { p: true }],
  ],
  [
    "valibot: beside a member that is not mended",
    () => v.object({ p: v.object({ n: v.fallback(v.number(), 1), m: v.object({}) }) }),
    { type: "object", properties: { n: { type: "number" }, m: { type: "object", properties: {} } }, required: ["m"] },
    [{ p: { n: "x", m: {} } }, { p: { m: {} } }],
    [{ p: { n: "x", m: [] } }, { p: [] }],
  ],
  [
    "valibot: in a recursive place that is not one",
    () => v.object({ p: v.lazy(() => v.fallback(v.number(), 1)) }),
    { type: "number" },
    [{ p: "x" }],
    [],
  ],
  [
    "arktype: a number in a text",
    () => type({ p: "string.numeric.parse" }),
    { type: "string", pattern: expect.any(String) },
    [{ p: "5" }],
    [{ p: "x" }],
  ],
];

describe("where an author's schema changes the value, its library decides", () => {
  it.each(MENDED)("%s", async (_, parameters, expected, good, bad) => {
    const tool = await published(parameters());
    const { p } = tool.listed.properties;
    expect(p).toMatchObject(expected);
    for (const rule of ["maxLength", "pattern", "maximum", "required"].filter((rule) => !(rule in expected))) {
      expect(p).not.toHaveProperty(rule);
    }
    for (const input of good) expect(await takes(tool.input, input), JSON.stringify(input)).toBe(true);
    for (const input of bad) expect(await takes(tool.input, input), JSON.stringify(input)).toBe(false);
    expect(tool.listed.required ?? []).toEqual(
      good.some((input) => !("p" in input)) ? [] : expect.arrayContaining(["p"]),
    );
    expect(JSON.stringify(tool.listed)).not.toContain("trivet");
  });
});

const P = "string" as never;
/** Schemas whose published form has keywords that the library ignores, and an input that breaks them. */
const SAID: readonly [as: string, parameters: () => unknown, broken: object][] = [
  ["valibot: a type", () => v.object({ p: v.pipe(v.any(), v.metadata({ type: "string" })) }), { p: { a: [1] } }],
  ["valibot: a most", () => v.object({ p: v.pipe(v.number(), v.metadata({ maximum: 10 })) }), { p: 99 }],
  ["valibot: choices", () => v.object({ p: v.pipe(v.string(), v.metadata({ enum: ["a"] })) }), { p: "z" }],
  ["valibot: in a list", () => v.object({ p: v.array(v.pipe(v.number(), v.metadata({ minimum: 0 }))) }), { p: [-1] }],
  ["valibot: in an option", () => v.object({ p: v.optional(v.pipe(v.any(), v.metadata({ const: 1 }))) }), { p: 2 }],
  ["valibot: required", () => v.pipe(v.object({ p: v.optional(v.any()) }), v.metadata({ required: ["p"] })), {}],
  ["valibot: of all", () => v.pipe(v.looseObject({ p: v.any() }), v.metadata({ maxProperties: 1 })), { p: 1, q: 1 }],
  [
    "valibot: beside a description",
    () => v.object({ p: v.pipe(v.any(), v.metadata({ description: "P.", examples: [1], multipleOf: 2 })) }),
    { p: 3 },
  ],
  [
    "valibot: in an intersection",
    () => v.intersect([v.object({ p: v.pipe(v.string(), v.metadata({ maxLength: 1 })) }), v.object({})]),
    { p: "ab" },
  ],
  ["zod: a type", () => z.object({ p: z.any().meta({ type: "string" }) }), { p: { a: [1] } }],
  ["zod: a least", () => z.object({ p: z.number().meta({ minimum: 0 }) }), { p: -1 }],
  ["zod: choices", () => z.object({ p: z.string().meta({ enum: ["a"] }) }), { p: "z" }],
  ["zod: described later", () => z.object({ p: z.number().meta({ minimum: 0 }).describe("P.") }), { p: -1 }],
  ["zod: checked later", () => z.object({ p: z.number().meta({ minimum: 0 }).max(5) }), { p: -1 }],
  ["zod: in a list", () => z.object({ p: z.array(z.number().meta({ minimum: 0 })) }), { p: [-1] }],
  ["zod: in an option", () => z.object({ p: z.number().meta({ minimum: 0 }).optional() }), { p: -1 }],
  ["zod: of an option", () => z.object({ p: z.number().optional().meta({ minimum: 0 }) }), { p: -1 }],
  ["zod: required", () => z.object({ p: z.any().optional() }).meta({ required: ["p"] }), {}],
  ["zod: registered", () => z.object({ p: z.any().register(z.globalRegistry, { maxItems: 0 } as never) }), { p: [1] }],
  [
    "zod: a custom type's own words",
    () => {
      const p = z.custom();
      p._zod.toJSONSchema = () => ({ type: "string" });
      return z.object({ p });
    },
    { p: 1 },
  ],
  ["arktype: a length", () => type({ p: type(P).configure({ maxLength: 1 } as never) }), { p: "ab" }],
  ["arktype: choices", () => type({ "p?": type(P).configure({ enum: ["a"] } as never) }), { p: "z" }],
  [
    "arktype: in a list",
    () =>
      type({
        p: type(P)
          .configure({ maxLength: 1 } as never)
          .array(),
      }),
    { p: ["ab"] },
  ],
  ["arktype: required", () => type({ "p?": P }).configure({ required: ["p"] } as never), {}],
];

describe("keywords that an author adds to the library's are enforced", () => {
  it.each(SAID)("%s", async (_, parameters, broken) => {
    const tool = await published(parameters());
    expect(await takes(tool.own, broken), "the library takes it").toBe(true);
    expect(tool.refuses(broken), JSON.stringify(tool.listed)).toBe(true);
    expect(await takes(tool.input, broken)).toBe(false);
  });

  it("arktype: keywords that a scope adds in conversion are not published, because nothing enforces them", async () => {
    const toJsonSchema = { fallback: { predicate: ({ base }: { base: object }) => ({ ...base, maxLength: 1 }) } };
    const own = scope({ a: type("string").narrow(() => true) }, { toJsonSchema } as never);
    const tool = await published(own.type({ p: "a" } as never));
    expect(await takes(tool.input, { p: "ab" })).toBe(true);
    expect(tool.refuses({ p: "ab" }), JSON.stringify(tool.listed)).toBe(false);
  });

  it.each<[string, () => unknown]>([
    ["valibot", () => v.object({ p: v.pipe(v.number(), v.title("P"), v.metadata({ "x-a": 1, examples: [1] })) })],
    [
      "zod",
      () =>
        z.object({
          p: z
            .number()
            .describe("P.")
            .meta({ examples: [1], "x-a": 1 }),
        }),
    ],
    ["zod with a default", () => z.object({ p: z.number().default(1).meta({ title: "P" }) })],
    ["arktype", () => type({ p: type("number").configure({ description: "P.", examples: [1] } as never) })],
  ])("and a description needs no check: %s", async (_, parameters) => {
    expect((await published(parameters())).uncheckedRules).toBeUndefined();
  });
});

/** Undefined if the schema cannot be published, which discovery reports as a mistake. */
async function publishedIfPossible(make: () => unknown) {
  const problems: string[] = [];
  let made: unknown;
  try {
    made = make();
  } catch {
    // Not all arktype types can be combined.
    return undefined;
  }
  const listed = describeInput(made, (problem) => problems.push(problem));
  if (listed === undefined) return undefined;
  return published(made);
}
