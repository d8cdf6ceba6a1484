/** Schemas of every library as listings show them: flat draft 2020-12, and OpenTool's small vocabulary. */
import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/core/model/catalog-entry.ts";
import { describe as describeTool } from "../../../src/protocols/opentool/describe.ts";
import { described, project, tool } from "../../support/node/project.ts";

type Json = Record<string, unknown>;

interface Listed {
  readonly input: Json;
  readonly output: Json;
  readonly opentool: OpenTool;
  readonly kind: string;
}

/** The tools of all tests, which one run of discovery lists. */
const files: Record<string, string> = {};
let found: Promise<readonly CatalogEntry[]> | undefined;

async function discovered(): Promise<readonly CatalogEntry[]> {
  const made = project(files);
  const { code, stderr } = await made.discover();
  expect(code, stderr).toBe(0);
  return (await made.catalog()).entries;
}

/** A test of the listed texts of a tool with the given members. */
function lists(name: string, members: Record<string, string | undefined>, check: (listed: Listed) => void): void {
  const own = `t${Object.keys(files).length}`;
  // These schemas are about converting, not about what hosts take.
  files[`kit/${own}.ts`] = tool({ listing: '{ allow: ["tuple", "array-items"] }', ...members });
  it(name, async () => {
    found ??= discovered();
    const entry = (await found).find(({ id }) => id === `Kit.${own.toUpperCase()}`);
    if (entry === undefined) throw new Error("it was not discovered");
    const { input, output } = entry.json;
    const parsed = { input: JSON.parse(input), output: JSON.parse(output), opentool: inOpenTool(entry) };
    check({ ...parsed, kind: entry.output });
  });
}

/** As OpenTool sends it: a text. */
function inOpenTool({ json }: CatalogEntry): OpenTool {
  return JSON.parse(JSON.stringify(describeTool({ input: JSON.parse(json.input), output: JSON.parse(json.output) })));
}

const D = { description: "What it is." };
const AB = "v.object({ p: v.string() }), v.object({ q: v.number() })";

/** A parameter's source, its listed schema, and its form in OpenTool. What listings say in other words is below. */
const PARAMETERS: Record<string, [source: string, listed: Json, opentool: Json]> = {
  text: ["v.string()", { type: "string" }, { type: "string" }],
  integer: ["v.pipe(v.number(), v.integer())", { type: "integer" }, { type: "integer" }],
  "message of its own": [
    'v.pipe(v.string("No!"), v.minLength(1, "No!"))',
    { type: "string", minLength: 1 },
    { type: "string" },
  ],
  "check without a word for it": [
    "v.pipe(v.string(), v.check(() => true, 'No!'), v.rawCheck(() => {}))",
    { type: "string" },
    { type: "string" },
  ],
  "change that keeps the type": [
    "v.pipe(v.string(), v.maxLength(9), v.brand('b'), v.trim(), v.toLowerCase(), v.minLength(1), v.readonly())",
    { type: "string", maxLength: 9 },
    { type: "string" },
  ],
  "change of the type": ["v.pipe(v.string(), v.transform(Number), v.number())", { type: "string" }, { type: "string" }],
  picklist: ['v.picklist(["a", "b"])', { enum: ["a", "b"], type: "string" }, { type: "string", enum: ["a", "b"] }],
  literal: ['v.literal("a")', { type: "string", enum: ["a"] }, { type: "string", enum: ["a"] }],
  union: ["v.union([v.string(), v.number()])", { anyOf: [{ type: "string" }, { type: "number" }] }, { type: "string" }],
  nullable: ["v.nullable(v.number())", { anyOf: [{ type: "number" }, { type: "null" }] }, { type: "number" }],
  "nullable picklist": [
    'v.nullable(v.picklist(["a"]))',
    { anyOf: [{ enum: ["a"], type: "string" }, { type: "null" }] },
    { type: "string", enum: ["a"] },
  ],
  record: [
    "v.record(v.string(), v.number())",
    { type: "object", additionalProperties: { type: "number" } },
    { type: "object", properties: {} },
  ],
  "nested lists": [
    "v.array(v.array(v.object({ x: v.boolean() })))",
    {
      type: "array",
      items: { type: "array", items: { type: "object", properties: { x: { type: "boolean" } }, required: ["x"] } },
    },
    {
      type: "array",
      items: { type: "array", items: { type: "object", properties: { x: { type: "boolean" } }, required: ["x"] } },
    },
  ],
  "a list of anything": [
    "v.array(v.unknown())",
    { type: "array", items: {} },
    { type: "array", items: { type: "object", properties: {} } },
  ],
  tuple: [
    "v.tuple([v.pipe(v.string(), v.description('The first.')), v.number()])",
    { type: "array", prefixItems: [{ type: "string", description: "The first." }, { type: "number" }], minItems: 2 },
    { type: "array", items: { type: "string", description: "The first." } },
  ],
  "tuple that ends": [
    "v.strictTuple([v.number()])",
    { type: "array", prefixItems: [{ type: "number" }], items: false, minItems: 1 },
    { type: "array", items: { type: "number" } },
  ],
  "tuple that begins with a choice": [
    "v.tupleWithRest([v.nullable(v.boolean())], v.string())",
    {
      type: "array",
      prefixItems: [{ anyOf: [{ type: "boolean" }, { type: "null" }] }],
      items: { type: "string" },
      minItems: 1,
    },
    { type: "array", items: { type: "boolean" } },
  ],
  "tuple without items": [
    "v.tuple([])",
    { type: "array", minItems: 0 },
    { type: "array", items: { type: "object", properties: {} } },
  ],
  "nested object": [
    "v.object({ x: v.optional(v.object({ y: v.string() })) })",
    { type: "object", properties: { x: { type: "object", properties: { y: { type: "string" } }, required: ["y"] } } },
    { type: "object", properties: { x: { type: "object", properties: { y: { type: "string" } }, required: ["y"] } } },
  ],
  "strict object": [
    "v.strictObject({ x: v.string() })",
    { type: "object", properties: { x: { type: "string" } }, required: ["x"], additionalProperties: false },
    { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
  ],
  variant: [
    'v.variant("k", [v.object({ k: v.literal("a") }), v.object({ k: v.literal("b") })])',
    {
      oneOf: ["a", "b"].map((k) => ({
        type: "object",
        properties: { k: { type: "string", enum: [k] } },
        required: ["k"],
      })),
    },
    { type: "object", properties: { k: { type: "string", enum: ["a"] } }, required: ["k"] },
  ],
  anything: ["v.unknown()", {}, { type: "object", properties: {} }],
};

describe("a parameter", () => {
  for (const [name, [source, schema, words]] of Object.entries(PARAMETERS)) {
    lists(name, { input: `v.object({ p: ${described(source)} })` }, ({ input, opentool }) => {
      expect(input).toEqual({ type: "object", properties: { p: { ...schema, ...D } }, required: ["p"] });
      expect(opentool.parameters).toEqual([{ name: "p", ...D, schema: { ...words, ...D }, required: true }]);
    });
  }

  const optional = `v.object({
    inner: v.optional(${described("v.string()")}, "x"), outer: ${described('v.optional(v.string(), "y")')},
    none: v.optional(${described("v.string()")}), nullish: v.nullish(${described("v.string()")}, null),
  })`;
  lists("may be optional, with and without a default", { input: optional }, ({ input, opentool }) => {
    expect(input).toEqual({
      type: "object",
      properties: {
        inner: { type: "string", ...D, default: "x" },
        outer: { type: "string", ...D, default: "y" },
        none: { type: "string", ...D },
        nullish: { anyOf: [{ type: "string", ...D }, { type: "null" }], default: null, ...D },
      },
    });
    expect(opentool.parameters.map(({ required }) => required)).toEqual([false, false, false, false]);
  });
});

describe("an input", () => {
  lists("may be omitted", { input: undefined }, ({ input }) => {
    expect(JSON.stringify(input)).toBe('{"type":"object","properties":{}}');
  });

  const both = `v.object({ p: ${described("v.string()")} }), v.object({ p: v.string(), q: v.optional(${described("v.number()")}) })`;
  lists("may be an intersection, listed as one object", { input: `v.intersect([${both}])` }, ({ input }) => {
    expect(input).toEqual({
      type: "object",
      properties: { p: { ...D, allOf: [{ type: "string", ...D }, { type: "string" }] }, q: { type: "number", ...D } },
      required: ["p"],
    });
  });

  const by = (kind: string, more: string) => `v.object({ by: ${described(`v.literal("${kind}")`)}, ${more} })`;
  const id = by("id", `id: ${described("v.number()")}, deep: v.optional(${described("v.boolean()")})`);
  const name = by("name", `name: ${described("v.string()")}, deep: ${described("v.string()")}`);
  const choice = { input: `v.variant("by", [${id}, ${name}])` };
  lists("may be a choice of objects, listed as one object", choice, ({ input }) => {
    expect(input).toEqual({
      type: "object",
      properties: {
        by: { type: "string", ...D, enum: ["id", "name"] },
        id: { type: "number", ...D },
        deep: {
          ...D,
          anyOf: [
            { type: "boolean", ...D },
            { type: "string", ...D },
          ],
        },
        name: { type: "string", ...D },
      },
      required: ["by"],
    });
  });

  const checked = `v.pipe(v.object({ p: ${described("v.string()")} }), v.check(() => true, "No!"))`;
  lists("may have a check of the whole", { input: checked }, ({ input }) => {
    expect(input).toMatchObject({ type: "object", required: ["p"] });
  });

  const nested = `v.objectWithRest({ p: ${described("v.string()")} }, v.object({ q: v.string() }))`;
  lists("lists its properties before nested schemas", { input: nested }, ({ input }) => {
    expect(Object.keys(input).slice(0, 2)).toEqual(["type", "properties"]);
    expect(input.additionalProperties).toMatchObject({ properties: { q: { type: "string" } } });
  });

  const ofZod = {
    input: `z.object({
        a: z.string().min(1, "No!").trim().describe("A."), b: z.number().int().default(3).describe("B."),
        c: z.enum(["x", "y"]).nullable().describe("C."), d: z.string().describe("D.").nullable(),
        e: z.discriminatedUnion("k", [z.object({ k: z.literal("l") })]).describe("E."),
        f: z.string().refine(() => true).transform(Number).describe("F.").optional(),
      })`,
  };
  lists("may be zod's", ofZod, ({ input }) => {
    expect(input).toMatchObject({
      type: "object",
      properties: {
        a: { type: "string", minLength: 1, description: "A." },
        b: { type: "integer", default: 3, description: "B." },
        c: { anyOf: [{ type: "string", enum: ["x", "y"] }, { type: "null" }], description: "C." },
        d: { anyOf: [{ type: "string" }, { type: "null" }], description: "D." },
        e: { oneOf: [{ type: "object", properties: { k: { type: "string", enum: ["l"] } } }], description: "E." },
      },
      required: ["a", "c", "d", "e"],
    });
  });

  const ofArktype = {
    input: `type({
        a: type("string.email").describe("A."), "b?": type("number.integer > 0").describe("B."),
        c: type("'x' | 'y'").describe("C."), d: type("string").narrow(() => true).describe("D."),
      })`,
    output: 'type("string.numeric.parse")',
  };
  lists("may be arktype's", ofArktype, ({ input, output }) => {
    expect(input).toMatchObject({
      type: "object",
      properties: {
        a: { type: "string", description: "A. An email address." },
        b: { type: "integer", minimum: 1, description: "B." },
        c: { type: "string", enum: ["x", "y"], description: "C." },
        d: { type: "string" },
      },
      required: ["a", "c", "d"],
    });
    expect(output).toEqual({ type: "number" });
  });
});

/** An output's source, its listed schema, and its form in each protocol. */
const OUTPUTS: Record<string, [source: string, listed: Json | null, kind: string]> = {
  nothing: ["null", null, "none"],
  "anything, by leaving it out": ["undefined", {}, "any"],
  "anything, by saying so": ["v.any()", {}, "any"],
  "a value": ["v.array(v.string())", { type: "array", items: { type: "string" } }, "value"],
  "an object": [
    "v.object({ x: v.string() })",
    { type: "object", properties: { x: { type: "string" } }, required: ["x"] },
    "object",
  ],
  "a record": [
    "v.record(v.string(), v.number())",
    { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "number" }, properties: {} },
    "object",
  ],
  "an object or null": [
    "v.nullable(v.object({}))",
    { anyOf: [{ type: "object", properties: {} }, { type: "null" }] },
    "value",
  ],
  "a choice of objects": [
    `v.union([${AB}])`,
    {
      type: "object",
      properties: {},
      anyOf: [
        { type: "object", properties: { p: { type: "string" } }, required: ["p"] },
        { type: "object", properties: { q: { type: "number" } }, required: ["q"] },
      ],
    },
    "object",
  ],
  "what comes out of a change": [
    "v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(1))",
    { type: "number", minimum: 1 },
    "value",
  ],
  "what goes in without a default": [
    'v.object({ x: v.optional(v.string(), "d") })',
    { type: "object", properties: { x: { type: "string", default: "d" } } },
    "object",
  ],
};

describe("an output", () => {
  for (const [name, [source, schema, expected]] of Object.entries(OUTPUTS)) {
    lists(name, { output: source }, ({ output, kind, opentool }) => {
      expect(output).toEqual(schema);
      expect(kind).toBe(expected);
      if (schema === null) expect(opentool.return ?? null).toBeNull();
      else expect(opentool.return).toMatchObject({ name: "value" });
    });
  }
});

interface OpenTool {
  parameters: { name: string; description: string; schema: Json; required: unknown }[];
  return: { name: string; schema: Json } | null;
}

const TYPES = ["boolean", "integer", "number", "string", "array", "object"];

/** OpenTool's rules for Schema, which its published clients check for a whole document. */
function expectOpenToolSchema(schema: Json): void {
  const { type, description, properties, items, enum: choices, required, ...rest } = schema;
  expect(TYPES).toContain(type);
  expect(rest).toEqual({});
  expect(["string", "undefined"]).toContain(typeof description);
  if (type === "object")
    for (const property of Object.values(properties as Json)) expectOpenToolSchema(property as Json);
  else expect([properties, required]).toEqual([undefined, undefined]);
  // Hosts refuse an array without a type for its items.
  if (type === "array") expectOpenToolSchema(items as Json);
  else expect(items).toBeUndefined();
  for (const choice of (choices ?? []) as unknown[]) expect(typeof choice).toBe(type === "integer" ? "number" : type);
  for (const name of (required ?? []) as string[]) expect(Object.keys(properties as Json)).toContain(name);
}

/** Schemas that OpenTool cannot express. */
const DIFFICULT = [
  ...Object.values(PARAMETERS).map(([source]) => source),
  `v.intersect([${AB}])`,
  `v.union([${AB}])`,
  "v.null()",
  "v.literal(1.5)",
  'v.union([v.literal("a"), v.literal(1)])',
  "v.tuple([v.string(), v.number()])",
  "v.strictTuple([v.string()])",
  "v.tupleWithRest([v.string()], v.number())",
  "v.array(v.union([v.null(), v.array(v.nullable(v.string()))]))",
  "v.array(v.unknown())",
  "v.looseTuple([])",
  "v.never()",
  "v.nullable(v.nullable(v.picklist(['a'])))",
];

const difficult = DIFFICULT.map((source, index) => `p${index}: v.optional(${described(source)})`);
const difficultInput = { input: `v.object({ ${difficult.join(", ")}, last: ${described("v.string()")} })` };
lists("says every parameter in OpenTool's six types", difficultInput, ({ opentool }) => {
  expect(opentool.parameters).toHaveLength(DIFFICULT.length + 1);
  for (const { name, description, schema, required } of opentool.parameters) {
    expect(description).toMatch(/^What it is\./);
    expect(required).toBe(name === "last");
    expectOpenToolSchema(schema);
  }
});

it("says every output in OpenTool's six types", async () => {
  const zod = [
    "z.union([z.string(), z.number()])",
    'z.enum(["a", "b"]).nullable()',
    "z.record(z.string(), z.array(z.null()))",
    "z.tuple([z.string(), z.number()])",
    "z.array(z.any())",
  ];
  const sources = [...DIFFICULT, ...zod].map((source, index) => [`kit/t${index}.ts`, tool({ output: source })]);
  const made = project(Object.fromEntries(sources));
  expect((await made.discover()).stderr).toBe("");
  const { entries } = await made.catalog();
  expect(entries).toHaveLength(sources.length);
  for (const entry of entries) {
    const { return: returned } = inOpenTool(entry);
    expect(returned?.name).toBe("value");
    expectOpenToolSchema(returned?.schema ?? {});
  }
});

const ruled = `v.object({
    url: v.pipe(v.string(), v.url()),
    time: v.pipe(v.string(), v.isoTime()),
    price: v.pipe(v.number(), v.multipleOf(0.01)),
    pair: v.strictTuple([v.number(), v.number()]),
    even: v.pipe(v.number(), v.multipleOf(2)),
    mail: v.pipe(v.string(), v.rfcEmail()),
    when: v.pipe(v.string(), v.isoDateTime()),
    day: v.pipe(v.string(), v.isoDate()),
  })`;
const WITHOUT = "lists an output without rules for which the official clients reject what its library accepts";
lists(WITHOUT, { output: ruled, run: "() => ({}) as never" }, ({ output }) => {
  expect(output.properties).toEqual({
    url: { type: "string" },
    time: { type: "string" },
    price: { type: "number" },
    pair: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2 },
    even: { type: "number", multipleOf: 2 },
    mail: { type: "string" },
    when: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
  });
});
