import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

async function ring(input: unknown) {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: "Doorbell.Ring@0.1.0", input } }),
  });
  return { status: response.status, body: (await response.json()) as { result: Record<string, unknown> } };
}

it.each(["doorbell42", "doorbell84"])("rings %s and returns nothing (OXP 1.0: output_schema null)", async (id) => {
  const { status, body } = await ring({ doorbell_id: id });
  expect(status).toBe(200);
  expect(body.result.success).toBe(true);
  expect(body.result.value ?? null).toBeNull();
});

it.each(["doorbell1", "", "toString", "doorbell42 "])("lists the doorbells if there is no %j", async (id) => {
  const { status, body } = await ring({ doorbell_id: id });
  expect(status).toBe(200);
  expect(body.result.success).toBe(false);
  expect(body.result.error).toEqual({
    message: "Doorbell ID not found",
    developer_message: `The doorbell with ID '${id}' does not exist.`,
    can_retry: true,
    additional_prompt_content: "ids: doorbell42,doorbell84",
    retry_after_ms: 500,
  });
});

it("needs to know which doorbell", async () => {
  const { status, body } = await ring({});
  expect(status).toBe(422);
  expect(body).toMatchObject({ parameter_errors: { doorbell_id: "Is required" } });
});
