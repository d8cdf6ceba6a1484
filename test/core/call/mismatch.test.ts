/**
 * Results with undefined members: JSON drops them, and a client refuses a result without the members its schema
 * requires.
 */
import { expect, it } from "vitest";
import { call as callMcp, mcp } from "../../support/mcp.ts";
import { rpc } from "../../support/opentool.ts";
import { call } from "../../support/oxp.ts";

const MISMATCH = "The tool's result does not match its declared output.";

it.each([
  ["Gaps", { gap: "required, which may be undefined" }, "a"],
  ["Gaps", { gap: "required of anything" }, "anything"],
  ["Gaps", { gap: "required further in" }, "kind.more"],
  ["Gaps", { gap: "required in a list" }, "list.1.more"],
  ["GapWritten", {}, "a"],
])(
  "a required member that is undefined fails the call, and developer_message says which: %s %j",
  async (tool, input, at) => {
    const { body } = await call(`Outputs.${tool}`, input);
    expect(body.result).toMatchObject({ success: false, error: { message: MISMATCH } });
    expect(body.result.error.developer_message).toMatch(new RegExp(`^${at}: Is undefined`));
    expect((await rpc(`Outputs_${tool}`, input)).body.error.message).toContain(MISMATCH);
    expect((await mcp(callMcp(`Outputs_${tool}`, input))).body.result).toMatchObject({ isError: true });
  },
);

it("an optional member may be undefined", async () => {
  const { body } = await call("Outputs.Gaps", { gap: "none that is required" });
  expect(body.result.value).toEqual({ a: "x", anything: 1, kind: { of: "b" } });
});
