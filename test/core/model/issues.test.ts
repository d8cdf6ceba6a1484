/** Issues never repeat the input, whatever library found them: it may be a secret, or a result. */
import { type } from "arktype";
import * as v from "valibot";
import { expect, it } from "vitest";
import * as z from "zod";
import { toIssues } from "../../../src/core/model/issues.ts";
import type { StandardSchema } from "../../../src/core/model/schema.ts";

const SECRET = "sk_live_4f1d9c8e";

it.each<[string, StandardSchema]>([
  ["valibot", v.object({ of: v.picklist(["a", "b"]), size: v.number(), more: v.string() })],
  ["zod", z.object({ of: z.enum(["a", "b"]), size: z.number(), more: z.string() })],
  ["arktype", type({ of: "'a'|'b'", size: "number", more: "string" })],
])("of %s", async (_, schema) => {
  const { issues = [] } = await schema["~standard"].validate({ of: SECRET, size: SECRET });
  const found = toIssues(issues);
  expect(found.map(({ path }) => path).sort()).toEqual(["more", "of", "size"]);
  expect(JSON.stringify(found)).not.toContain(SECRET);
});

it("a long name is shortened in the middle, as arktype states the problem after it", async () => {
  const schema = type({ series: { "[string]": "number[]" } });
  const { issues = [] } = await schema["~standard"].validate({ series: { ["k".repeat(100_000)]: ["x"] } });
  const [found] = toIssues(issues);
  expect(found?.path).toMatch(/^series\.k+…k+\.0$/);
  expect(found?.message).toMatch(/^series\.k+…k+\[0\] must be a number$/);
});

it("no character is cut into halves that UTF-8 cannot encode", () => {
  const [found] = toIssues([{ message: "x".repeat(99) + "😀".repeat(1000), path: [`a${"😀".repeat(500)}`] }]);
  expect(found?.message.isWellFormed()).toBe(true);
  expect(found?.path.isWellFormed()).toBe(true);
});

it("with long paths, as many are reported as an answer has room for, and the rest counted", () => {
  const path = Array.from({ length: 60 }, () => "k".repeat(200));
  const found = toIssues(Array.from({ length: 90 }, () => ({ message: "Must be a number", path })));
  expect(found.map(({ message }) => message)).toEqual(["Must be a number", "Must be a number", "and 88 more mistakes"]);
});

it.each<[v.GenericSchema<never, unknown>, unknown, string]>([
  [v.pipe(v.string(), v.parseJson()), "%", "Must be JSON text"],
  [v.pipe(v.string(), v.startsWith("a")), "b", 'Must begin with "a"'],
  [v.pipe(v.string(), v.excludes("b")), "b", 'Must not contain "b"'],
  [v.pipe(v.string(), v.maxBytes(1)), "ab", "Must be at most 1 bytes long"],
  [v.pipe(v.string(), v.minWords("en", 3)), "a b", "Must be at least 3 words long"],
  [v.pipe(v.array(v.any()), v.minLength(2)), [], "Must be at least 2 items long"],
  [v.pipe(v.record(v.string(), v.any()), v.minEntries(1)), {}, "Must have at least 1 members"],
  [v.pipe(v.number(), v.gtValue(3)), 3, "Must be more than 3"],
  [v.pipe(v.number(), v.notValues([5, 6])), 5, "Must not be 5, 6"],
  [v.pipe(v.string(), v.isoDate()), "x", "Must be a date, such as 2026-11-25"],
  [
    v.pipe(
      v.string(),
      v.check(() => false),
    ),
    "x",
    "Does not pass a check of this tool",
  ],
  [v.union([v.string(), v.object({})]), 4, "Must be a string or an object"],
  [v.nonNullable(v.nullable(v.string())), null, "Must not be null"],
  [v.pipe(v.string(), v.uuid()), "x", "Must be a valid uuid"],
] as never)("a message says what was expected, with its unit: %#", (schema, sent, message) => {
  const { issues = [] } = v.safeParse(schema, sent);
  expect(toIssues(issues as never).map((issue) => issue.message)).toEqual([message]);
});
