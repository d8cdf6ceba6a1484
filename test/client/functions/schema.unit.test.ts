/**
 * Schemas within what each API accepts: whatever a tool's schema has in it, no API refuses the tool, and no input that
 * the tool accepts is refused by what a model is shown.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { anthropicTools } from "../../../src/client/functions/anthropic.ts";
import { geminiTools } from "../../../src/client/functions/gemini.ts";
import { openaiTools } from "../../../src/client/functions/openai.ts";
import type { JsonSchema, ToolCaller, ToolDefinition } from "../../../src/client/oxp/types.ts";
import { type Api, refusals, type Sent, schemas } from "./refusals.ts";
import { deep, MALFORMED, NASTY, property } from "./schemas.ts";

const nobody: ToolCaller = { call: () => Promise.reject(new Error("not called")) };

function tool(parameters: JsonSchema, description = "Does it."): ToolDefinition {
  return {
    id: "Kit.Do@1.0.0",
    name: "Kit_Do",
    description,
    version: "1.0.0",
    input_schema: { parameters },
    output_schema: {},
  };
}

const SENT: Readonly<Record<Api, (definition: ToolDefinition) => Sent[]>> = {
  OpenAI: (definition) => openaiTools([definition], nobody).tools,
  Anthropic: (definition) =>
    anthropicTools([definition], nobody).tools.map(({ input_schema, ...tool }) => ({
      ...tool,
      parameters: input_schema,
    })),
  Gemini: (definition) =>
    geminiTools([definition], nobody).tools.flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ parametersJsonSchema, ...tool }) => ({ ...tool, parameters: parametersJsonSchema })),
    ),
};
const APIS = Object.keys(SENT) as Api[];

interface Shown {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
  readonly required: readonly string[];
}

/** What an API gets of one tool. */
function sent(api: Api, parameters: JsonSchema): { description: string; parameters: Shown } {
  return SENT[api](tool(parameters))[0] as never;
}

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
describe.each(APIS)("%s", (api) => {
  it.each(Object.entries({ ...NASTY, ...MALFORMED }))(
    "accepts %s, and what is shown accepts what the tool accepts",
    (name, [schema, ...inputs]) => {
      const [shown] = SENT[api](tool(schema as JsonSchema)) as [Sent];
      expect(refusals(api, [shown])).toEqual([]);
      const accepts = ajv.compile(shown.parameters as object);
      for (const input of inputs) {
        if (name in NASTY)
          expect(ajv.validate(schema as object, input), `the case itself: ${JSON.stringify(input)}`).toBe(true);
        expect(accepts(input), `${JSON.stringify(input)}: ${ajv.errorsText(accepts.errors)}`).toBe(true);
      }
    },
  );

  it("does not change the definition, and sends nothing of its objects", () => {
    const given = tool(JSON.parse(JSON.stringify(NASTY["a union at the root"]?.[0])));
    const before = JSON.stringify(given);
    const [shown] = SENT[api](given) as [Sent];
    (shown.parameters as { properties: Record<string, unknown> }).properties.more = {};
    expect(JSON.stringify(given)).toBe(before);
  });

  it("leaves a plain schema as it is", () => {
    const plain = {
      type: "object",
      properties: {
        city: { type: "string", description: "Where." },
        days: { type: "integer", minimum: 1, maximum: 9 },
      },
      required: ["city"],
      additionalProperties: false,
    };
    expect(sent(api, plain)).toMatchObject({ description: "Does it.", parameters: plain });
  });
});

it("refuses what the APIs refuse: the checks of this test find each nasty schema as it is", () => {
  const raw = (api: Api, name: string) =>
    refusals(api, [{ name: "x", description: "", parameters: NASTY[name]?.[0] ?? MALFORMED[name]?.[0] }]);
  expect(raw("OpenAI", "a union at the root")).toContain("x: schema has oneOf at the top level");
  expect(raw("OpenAI", "a tuple")).toContain("x: parameters.x: array schema missing items");
  expect(raw("Anthropic", "names of parameters")).toContain("x: Property keys should match pattern: a b/c");
  expect(raw("Anthropic", "draft 4")[0]).toContain("draft 2020-12");
  expect(raw("Gemini", "constants")).toContain('x: parameters.x.anyOf[0]: Unknown name "const"');
  expect(raw("Gemini", "a demand for what is not described")[0]).toContain("property z is not defined");
});

describe("what is left out is told", () => {
  it("beside the description of the value", () => {
    const { parameters } = sent(
      "Gemini",
      property({ type: "string", description: "A code.", pattern: "^[A-Z]{2}$", minLength: 2 }),
    );
    expect(parameters.properties.x).toEqual({
      type: "string",
      description: 'A code. (Its JSON Schema also has {"pattern":"^[A-Z]{2}$","minLength":2})',
    });
  });

  it("in the tool's description, if it is about all parameters", () => {
    const { description } = sent("Anthropic", NASTY["a union beside properties"]?.[0] as JsonSchema);
    expect(description).toBe('Does it. (Its JSON Schema also has {"anyOf":[{"required":["a"]},{"required":["b"]}]})');
  });

  it("with the parameters whose names are not accepted", () => {
    const { description, parameters } = sent("OpenAI", NASTY["names of parameters"]?.[0] as JsonSchema);
    expect(Object.keys(parameters.properties)).toEqual(["ok"]);
    expect(description.split("\n")[1]).toBe('It also has the parameter "a b/c" (required): {"type":"string"}');
  });

  it("but not at any length", () => {
    const { parameters } = sent("Gemini", property({ type: "string", pattern: "x".repeat(100_000) }));
    expect(parameters.properties.x?.description.length).toBeLessThan(600);
  });
});

describe("what an API can express stays", () => {
  it("tuples of older drafts, in the form of draft 2020-12", () => {
    const old = { type: "array", items: [{ type: "number" }], additionalItems: false };
    const x = { type: "array", prefixItems: [{ type: "number" }], items: false };
    expect(sent("Anthropic", property(old)).parameters.properties.x).toEqual(x);
  });

  it("down to the 24th level", () => {
    const levelsOf = (levels: number) => [...schemas(sent("Gemini", deep(levels)).parameters)].length - 1;
    expect([levelsOf(10), levelsOf(24), levelsOf(100)]).toEqual([10, 24, 25]);
  });

  it("tuples and all other keywords for Anthropic", () => {
    const x = { type: "array", prefixItems: [{ type: "number" }, { type: "string", pattern: "^a" }], items: false };
    expect(sent("Anthropic", property(x)).parameters.properties.x).toEqual(x);
  });

  it("patterns and formats for OpenAI", () => {
    const x = { type: "string", format: "email", pattern: "@", minLength: 3 };
    expect(sent("OpenAI", property(x)).parameters.properties.x).toEqual(x);
  });

  it("null and choices for Gemini", () => {
    const { x } = sent("Gemini", property({ type: ["string", "null"], enum: ["a", null] })).parameters.properties;
    expect(x).toEqual({ anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }] });
    expect(sent("Gemini", property({ type: ["string", "null"] })).parameters.properties.x).toEqual({
      type: ["string", "null"],
    });
    expect(sent("Gemini", property({ const: "a" })).parameters.properties.x).toEqual({ type: "string", enum: ["a"] });
  });

  it("the kinds of a union's discriminator", () => {
    const { parameters } = sent("OpenAI", NASTY["a union at the root"]?.[0] as JsonSchema);
    expect(parameters.required).toEqual(["kind"]);
    expect(Object.keys(parameters.properties)).toEqual(["kind", "a", "b"]);
    expect(parameters.properties.kind).toEqual({ anyOf: [{ const: "a" }, { const: "b" }] });
  });
});
