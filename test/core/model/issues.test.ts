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
