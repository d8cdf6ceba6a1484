/** Which alternative of a schema a result still fits once its undefined members are gone. */
import { expect, it } from "vitest";
import { pathOfMismatch } from "../../../src/core/call/mismatch.ts";

const closed = (properties: Record<string, unknown>, required: string[]) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

it("an alternative that allows no other members is not fitted by a result that has one", () => {
  const schema = { anyOf: [closed({ id: {}, data: {}, note: {} }, ["id", "data"]), closed({ id: {} }, ["id"])] };
  expect(pathOfMismatch(schema, { id: 1 })).toBeUndefined();
  expect(pathOfMismatch(schema, { id: 1, note: "x" })).toBeDefined();
});
