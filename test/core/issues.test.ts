/** Issues never repeat what was sent, whatever library found them: it may be a secret, or a result. */
import { type } from "arktype";
import * as v from "valibot";
import { expect, it } from "vitest";
import * as z from "zod";
import { toIssues } from "../../src/core/model/issues.ts";
import type { StandardSchema } from "../../src/core/model/schema.ts";

const SECRET = "sk_live_4f1d9c8e";

it.each<[string, StandardSchema]>([
  ["valibot", v.object({ of: v.picklist(["a", "b"]), size: v.number(), more: v.string() })],
  ["zod", z.object({ of: z.enum(["a", "b"]), size: z.number(), more: z.string() })],
  ["arktype", type({ of: "'a'|'b'", size: "number", more: "string" })],
])("of %s", async (_, schema) => {
  const { issues = [] } = await schema["~standard"].validate({ of: SECRET, size: SECRET });
  const told = toIssues(issues);
  expect(told.map(({ path }) => path).sort()).toEqual(["more", "of", "size"]);
  expect(JSON.stringify(told)).not.toContain(SECRET);
});
