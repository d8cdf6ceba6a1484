/** The header by which an answer says what only MCP has a place for. */
import { describe, expect, it } from "vitest";
import { call } from "../../support/oxp.ts";

describe("the header Over-MCP", () => {
  it.each([
    ["a question", "Talk.Ask", { what: "form" }, 400, "question"],
    ["content besides the value", "Talk.Show", {}, 200, "content"],
    ["nothing", "Math.Add", { a: 1, b: 2 }, 200, null],
    ["nothing of a refused call", "Talk.Ask", { what: 7 }, 422, null],
  ])("names %s", async (_name, tool, input, status, said) => {
    const answer = await call(tool, input);
    expect([answer.status, answer.headers.get("over-mcp")]).toEqual([status, said]);
  });

  it("is sent with a repeated result", async () => {
    const request = { call_id: `shown ${crypto.randomUUID()}` };
    await call("Talk.Show", {}, request);
    const { headers } = await call("Talk.Show", {}, request);
    expect([headers.get("over-mcp"), headers.get("idempotency-replayed")]).toEqual(["content", "true"]);
  });
});
