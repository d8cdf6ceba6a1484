/**
 * Results are held to the output that a tool lists: "Servers MUST provide structured results that conform to this schema"
 * (MCP 2025-11-25, server/tools, Output Schema).
 */
import { expect, it, vi } from "vitest";
import { call as callMcp, mcp } from "../../support/mcp.ts";
import { rpc } from "../../support/opentool.ts";
import { call, completed } from "../../support/oxp.ts";

it.each([
  ["a member of another type", "id: Must be a whole number"],
  ["no required member", "id: Is required"],
  ["a member more", "more: Is not a parameter of this tool"],
  ["a member of another type, further in", "owner.name: Must be a string"],
])("a call fails if its output, which an author describes in JSON Schema, has %s", async (what, problem) => {
  const { body } = await call("Outputs.Promised", { what });
  expect(body.result).toMatchObject({
    success: false,
    error: { message: "The tool's result does not match its declared output.", developer_message: problem },
  });
  expect((await rpc("Outputs_Promised", { what })).body.error.message).toContain("does not match its declared output");
  const { result } = (await mcp(callMcp("Outputs_Promised", { what }))).body;
  expect(result).toMatchObject({ isError: true });
  expect(result).not.toHaveProperty("structuredContent");
});

it("what fits is sent as JSON has it: dates as texts, and nothing for undefined members", async () => {
  expect(await completed("Outputs.Promised", { what: "what it promised" })).toEqual({
    id: 7,
    at: "1970-01-01T00:00:00.000Z",
    owner: { name: "a" },
  });
});

it("a result that is too large for a model is a line in the log, in each protocol", async () => {
  const log = vi.spyOn(console, "log");
  const warned = vi.spyOn(console, "warn");
  const input = { what: "much more" };
  await call("Outputs.Promised", input);
  await rpc("Outputs_Promised", input);
  await mcp(callMcp("Outputs_Promised", input));
  await call("Outputs.Promised", { what: "what it promised" });
  const lines = [...log.mock.calls, ...warned.mock.calls].map(([line]) => String(line));
  vi.restoreAllMocks();
  const large = lines.filter((line) => line.includes("result too large for a model")).map((line) => JSON.parse(line));
  expect(large).toHaveLength(3);
  for (const { level, tool, characters } of large) {
    expect([level, tool, characters > 1_000_000]).toEqual(["warning", "Outputs.Promised@1.0.0", true]);
  }
});
