import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

async function add(input: unknown) {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: "Calculator.Add", input } }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

it.each([
  [{ a: 10, b: 5 }, 15],
  [{ a: -1.5, b: 1.25 }, -0.25],
  [{ a: 0, b: 0 }, 0],
])("adds two numbers together: %o", async (input, sum) => {
  expect((await add(input)).body).toMatchObject({ result: { success: true, value: sum } });
});

it("accepts only numbers (OXP 1.0: the server MUST validate the input parameters)", async () => {
  const { status, body } = await add({ a: "10" });
  expect(status).toBe(422);
  expect(body.parameter_errors).toEqual({ a: "Must be a number", b: "Is required" });
});

it("fails if JSON cannot represent the sum", async () => {
  const { status, body } = await add({ a: Number.MAX_VALUE, b: Number.MAX_VALUE });
  expect(status).toBe(200);
  expect(body).toMatchObject({ result: { success: false, error: { can_retry: false } } });
});
