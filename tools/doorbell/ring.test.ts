import { expect, it } from "vitest";
import { callTool } from "#test";

it.each(["doorbell42", "doorbell84"])("rings %s and returns nothing", async (doorbell_id) => {
  expect((await callTool("Doorbell.Ring", { doorbell_id })).value).toBeUndefined();
});

it.each(["doorbell1", "", "toString", "doorbell42 "])("lists the doorbells if there is no %j", async (doorbell_id) => {
  const { error } = await callTool("Doorbell.Ring", { doorbell_id });
  expect(error).toEqual({
    reason: "failed",
    message: "Doorbell ID not found",
    developerMessage: `The doorbell with ID '${doorbell_id}' does not exist.`,
    canRetry: true,
    retryAfterMs: 500,
    additionalPromptContent: "ids: doorbell42,doorbell84",
  });
});

it("needs to know which doorbell", async () => {
  const { error } = await callTool("Doorbell.Ring", {} as never);
  expect(error?.parameters).toEqual({ doorbell_id: "Is required" });
});
