/** What a tool returns with success, the official clients accept: they check it against the output that is listed. */
import { CfWorkerJsonSchemaValidator as SecondCfWorker } from "@modelcontextprotocol/client/validators/cf-worker";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker";
import { type } from "arktype";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { areEqual, areUnique, checked, choicesOf, lengthOf } from "../../../src/core/catalog/compiled-check.ts";
import type { ToolDefinition } from "../../../src/core/model/definition.ts";
import { type StandardSchema, validate } from "../../../src/core/model/schema.ts";
import { compile } from "../../../src/discovery/schema/compile.ts";
import { describeOutput } from "../../../src/discovery/schema/describe-schema.ts";
import { promisesOf } from "../../../src/discovery/schema/unchecked-rules.ts";
import { jsonSchema } from "../../../src/tool.ts";
import { cases } from "../../support/tier.ts";

const point = { type: "object", properties: { x: { type: "integer", minimum: 1 } }, required: ["x"] };

/** Outputs whose libraries, or authors, list more than they check. */
const OUTPUTS: Record<string, unknown> = {
  "JSON Schema": jsonSchema({ ...point, additionalProperties: false }),
  "JSON Schema of a list": jsonSchema({ type: "array", items: point, minItems: 1, uniqueItems: true }),
  "JSON Schema with a reference": jsonSchema({ $defs: { p: point }, anyOf: [{ $ref: "#/$defs/p" }, { type: "null" }] }),
  "JSON Schema with formats": jsonSchema({ properties: { a: { type: "string", format: "date-time" } } }),
  "JSON Schema of a choice": jsonSchema({
    oneOf: [
      { type: "string", pattern: "^a" },
      { type: "string", maxLength: 1 },
    ],
  }),
  "JSON Schema with a function": jsonSchema(point, (value) =>
    value === undefined ? { issues: [{ message: "No." }] } : { value: value as Record<string, unknown> },
  ),
  "valibot with keywords": v.object({ x: v.pipe(v.any(), v.metadata({ type: "integer", minimum: 1 })) }),
  "valibot that changes a text": v.object({ a: v.pipe(v.string(), v.minLength(2), v.trim()) }),
  "valibot that changes a number": v.pipe(v.number(), v.maxValue(1), v.toMinValue(5)),
  "valibot with a default": v.object({ x: v.optional(v.number(), 1) }),
  "valibot with a fallback": v.object({ x: v.fallback(v.number(), 1) }),
  "zod with keywords": z.object({ x: z.any().meta({ type: "integer", minimum: 1 }) }),
  "zod that changes a text": z.object({ a: z.string().min(2).trim() }),
  "zod that coerces": z.object({ x: z.coerce.number() }),
  "arktype with keywords": type({ "x?": type("number").configure({ maximum: 1 } as never) }),
};

const leaf = fc.constantFrom<unknown>(0, 1, 1.5, 5, -1, "", "a", " a ", "ab", "b", true, null, "1970-01-01T00:00:00Z");
const value = fc.oneof(
  leaf,
  fc.array(fc.oneof(leaf, fc.record({ x: leaf })), { maxLength: 2 }),
  fc.record({ x: leaf, a: leaf, y: leaf }, { requiredKeys: [] }),
  fc.record({ x: leaf }),
  fc.array(fc.record({ x: fc.constantFrom(1, 2) }), { maxLength: 2 }),
  fc.record({ a: leaf }),
);

/** The schema of a tool's results as the Worker holds them to it, and as it is listed. */
async function output(schema: unknown) {
  const problems: string[] = [];
  const listed = describeOutput(schema, (problem) => problems.push(problem));
  expect(problems).toEqual([]);
  const promises = promisesOf(schema, listed ?? null);
  const tool = {
    version: "1.0.0",
    description: "It.",
    output: schema as StandardSchema,
    run: () => {},
  } as ToolDefinition;
  const called = { areEqual, areUnique, choicesOf, lengthOf };
  const code = promises && `return ${compile(promises)};`;
  const check = code && new Function(...Object.keys(called), code)(...Object.values(called));
  const { default: held } = await checked(
    Promise.resolve({ default: tool }),
    Promise.resolve({ default: [{ output: check }] }),
  );
  return { listed: listed as never, held: (held as ToolDefinition).output as StandardSchema };
}

describe.each(Object.entries(OUTPUTS))("%s", (_, schema) => {
  it("promises what its results keep", async () => {
    const { listed, held } = await output(schema);
    const clients = [new AjvJsonSchemaValidator(), new CfWorkerJsonSchemaValidator(), new SecondCfWorker()];
    const accepts = clients.map((client) => client.getValidator(listed));
    let returned = 0;
    const holds = async (candidate: unknown) => {
      const validated = await validate(held, candidate);
      if (validated.issues) return;
      returned++;
      for (const accept of accepts) {
        expect(accept(validated.value).valid, `${JSON.stringify(validated.value)}: ${JSON.stringify(listed)}`).toBe(
          true,
        );
      }
    };
    await fc.assert(fc.asyncProperty(value, holds), { seed: 38, numRuns: cases(100, 2_000) });
    expect(returned).toBeGreaterThan(0);
  });
});
