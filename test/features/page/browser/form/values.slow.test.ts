/** A form changes nothing of a value that is written to it: of random schemas, with valid values and with any. */
import { resolve } from "node:path";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { discover } from "../../../../../src/discovery/discover.ts";
import { formatProblems } from "../../../../../src/discovery/read/problem.ts";
import { findChromium, launch } from "../../../../support/node/chromium.ts";
import { type FormPage, openForms } from "../../../../support/node/forms.ts";

const executablePath = findChromium("test/features/page/browser/form/values.slow.test.ts");
/** How many schemas share one round trip to the browser. */
const BATCH = 20;

/** A schema with a value that it allows. */
type Case = readonly [schema: object, value: unknown];
type Cases = fc.Arbitrary<Case>;

const name = fc.oneof(
  fc.constantFrom("name", "body", "a.b", "a[0]", "__proto__", "constructor", "toString", "ü", " "),
  fc.string({ minLength: 1, maxLength: 8, unit: "binary" }),
);
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const constant = <T>(schema: object, value: fc.Arbitrary<T>): Cases => value.map((value) => [schema, value]);

const leaf: Cases = fc.oneof(
  constant({ type: "string" }, fc.string({ unit: "binary" })),
  constant({ type: "string", maxLength: 500 }, fc.string({ unit: "grapheme" })),
  constant({ type: "string", minLength: 1 }, fc.string({ minLength: 1 })),
  constant(
    { type: "string", format: "date" },
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  ),
  constant(
    { type: "string", format: "date-time" },
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  ),
  constant({ type: "string", format: "email" }, fc.emailAddress()),
  constant({ type: "string", format: "uri" }, fc.webUrl()),
  // An empty secret is one that was forgotten.
  constant({ type: "string", format: "password" }, fc.string({ minLength: 1 })),
  constant({ type: "number" }, fc.double({ noNaN: true, noDefaultInfinity: true })),
  constant({ type: "integer", minimum: -5, maximum: 200 }, fc.integer({ min: -5, max: 200 })),
  constant({ type: "integer" }, fc.maxSafeInteger()),
  constant({ type: "boolean" }, fc.boolean()),
  constant({ type: "boolean", default: true }, fc.boolean()),
  constant({ type: ["string", "null"] }, fc.option(fc.string())),
  constant({ type: ["string", "number", "boolean"] }, fc.oneof(fc.string(), fc.integer(), fc.boolean())),
  constant({}, json),
  fc
    .uniqueArray(json, { minLength: 1, maxLength: 6, selector: (value) => JSON.stringify(value) })
    .chain((values) =>
      fc.tuple(
        fc.constantFrom({ enum: values }, { oneOf: values.map((value) => ({ const: value, title: "same" })) }),
        fc.constantFrom(...values),
      ),
    ),
);

function list(item: Cases): Cases {
  return item.chain(([items, value]) =>
    fc.integer({ min: 0, max: 3 }).map((count): Case => [{ type: "array", items }, Array(count).fill(value)]),
  );
}

const tuple = (item: Cases): Cases =>
  fc
    .array(item, { minLength: 1, maxLength: 3 })
    .map((parts) => [
      { type: "array", prefixItems: parts.map(([schema]) => schema), minItems: parts.length, items: false },
      parts.map(([, value]) => value),
    ]);

const record = (item: Cases): Cases =>
  fc
    .tuple(item, fc.uniqueArray(name, { maxLength: 3 }))
    .map(([[additionalProperties, value], names]) => [
      { type: "object", additionalProperties },
      Object.fromEntries(names.map((name) => [name, value])),
    ]);

const group = (item: Cases): Cases =>
  fc
    .uniqueArray(fc.tuple(name, item, fc.constantFrom("required", "given", "left out")), {
      maxLength: 4,
      selector: ([name]) => name,
    })
    .map((members) => [
      {
        type: "object",
        properties: Object.fromEntries(members.map(([name, [schema]]) => [name, schema])),
        required: members.filter(([, , how]) => how === "required").map(([name]) => name),
      },
      Object.fromEntries(members.filter(([, , how]) => how !== "left out").map(([name, [, value]]) => [name, value])),
    ]);

/** One of several groups, told apart by a constant. */
const union = (item: Cases): Cases =>
  fc.tuple(group(item), group(item)).map(([[a, value], [b]]) => {
    const told = (schema: object, is: string) => ({
      allOf: [schema, { type: "object", properties: { is: { const: is } }, required: ["is"] }],
    });
    return [{ oneOf: [told(b, "b"), told(a, "a")] }, { ...(value as object), is: "a" }];
  });

const { any } = fc.letrec<{ any: Case }>((tie) => {
  const deeper = tie("any");
  return {
    any: fc.oneof({ maxDepth: 3 }, leaf, list(deeper), tuple(deeper), record(deeper), group(deeper), union(deeper)),
  };
});
const whole = group(any) as fc.Arbitrary<readonly [schema: object, value: object]>;

describe.skipIf(!executablePath)("in Chromium", () => {
  let browser: Browser;
  let forms: FormPage;
  beforeAll(async () => {
    browser = await launch(executablePath as string);
    forms = await openForms(browser);
  });
  afterAll(() => browser?.close());

  // As it is sent: without -0, for example.
  const sent = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

  it("a valid value comes out as it went in, without a problem", async () => {
    let count = 0;
    const batch = fc.asyncProperty(fc.array(whole, { minLength: 1, maxLength: BATCH }), async (cases) => {
      const valid = cases.filter(
        ([schema, value]) => new Validator(schema, "2020-12", false).validate(sent(value)).valid,
      );
      count += valid.length;
      expect(await forms.roundTrips(valid)).toEqual(valid.map(([, value]) => ({ value: sent(value) })));
    });
    await fc.assert(batch, { numRuns: 40 });
    expect(count).toBeGreaterThan(100);
    expect(forms.complaints).toEqual([]);
  });

  it("an empty form of every tool of the fixtures can be read, and filled in", async () => {
    const found = await discover(resolve(import.meta.dirname, "../../../../fixtures/tools"), undefined);
    if ("problems" in found) throw new Error(formatProblems(found.problems));
    expect(found.tools.length).toBeGreaterThan(50);
    for (const { id, input } of found.tools) {
      await forms.make(input);
      const result = await forms.read();
      const isComplete = new Validator(input, "2020-12", false).validate("value" in result ? result.value : {}).valid;
      expect("value" in result, id).toBe(isComplete);
    }
    expect(forms.complaints).toEqual([]);
  });

  it("any other value is not changed either: there may only be problems", async () => {
    const members = fc.dictionary(name, json);
    const odd = fc.tuple(whole, members, members).map(([[schema, value], more, instead]) => {
      const names = Object.keys(value);
      const replaced = Object.values(instead).slice(0, names.length);
      const changes = replaced.map((member, index): [string, unknown] => [names[index] ?? "", member]);
      return [schema, { ...more, ...value, ...Object.fromEntries(changes) }] as const;
    });
    const batch = fc.asyncProperty(fc.array(odd, { minLength: 1, maxLength: BATCH }), async (cases) => {
      const results = await forms.roundTrips(cases);
      for (const [index, result] of results.entries())
        if ("value" in result) expect(result.value).toEqual(sent(cases[index]?.[1]));
    });
    await fc.assert(batch, { numRuns: 40 });
    expect(forms.complaints).toEqual([]);
  });
});
