import { expect, it } from "vitest";
import { callTool } from "#test";

it.each([
  [{ a: 10, b: 5 }, 15],
  [{ a: -1.5, b: 1.25 }, -0.25],
  [{ a: 0, b: 0 }, 0],
])("adds two numbers together: %o", async (input, sum) => {
  expect((await callTool("Calculator.Add", input)).value).toBe(sum);
});

it("accepts only numbers", async () => {
  const { error } = await callTool("Calculator.Add", { a: "10" } as never);
  expect(error).toMatchObject({ reason: "invalid", parameters: { a: "Must be a number", b: "Is required" } });
});

it("fails if JSON cannot represent the sum", async () => {
  const { error } = await callTool("Calculator.Add", { a: Number.MAX_VALUE, b: Number.MAX_VALUE });
  expect(error).toMatchObject({ reason: "failed", canRetry: false });
});
