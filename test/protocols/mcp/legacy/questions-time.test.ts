/** While a question waits (before 2026-07-28), the tool's time limit is suspended. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, EVERYTHING, handshake, mcp, postMcp, streamed } from "../../../support/mcp.ts";
import { callModern } from "../../../support/modern-client.ts";

const ACCEPT = { action: "accept", content: {} };

async function callThatAsks(name: string, args: object) {
  const session = await handshake("2025-11-25", EVERYTHING);
  const stream = await streamed(call(name, args), session);
  const { id, method } = await stream.nextData();
  expect(method).toBe("elicitation/create");
  return { session, stream, id };
}

const answer = (session: Record<string, string>, id: string, result: object) =>
  postMcp({ jsonrpc: "2.0", id, result }, session);

describe("a tool's time limit", () => {
  it("is suspended while a person thinks", async () => {
    // The tool's limit is 100 ms.
    const { session, stream, id } = await callThatAsks("Talk_Patient", { workMs: 0 });
    expect(await stream.isSilent(500)).toBe(true);
    await answer(session, id, ACCEPT);
    expect((await stream.nextData()).result.structuredContent).toEqual({ value: "accept" });
  });

  it("continues when the person has answered", async () => {
    const { session, stream, id } = await callThatAsks("Talk_Patient", { workMs: 60_000 });
    await answer(session, id, ACCEPT);
    // -32003: the timeout code for legacy clients.
    expect((await stream.nextData()).error).toMatchObject({ code: -32003 });
  });
});

describe("a call with a key, whose person thinks for longer than its lease", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("does not let a duplicate run in that time", async () => {
    let laterMs = 0;
    const now = Date.now;
    vi.spyOn(Date, "now").mockImplementation(() => now() + laterMs);
    const [count, idempotency_key] = [crypto.randomUUID(), crypto.randomUUID()];
    const args = { what: "form", count, idempotency_key };
    const { session, stream, id } = await callThatAsks("Talk_Ask", args);
    // Its limit is 4 s, and a lease lasts 90 s longer.
    laterMs = 9 * 60_000;
    const duplicate = await mcp(call("Talk_Ask", args), session);
    expect(duplicate.body.result.content[0].text).toContain("still running");
    await answer(session, id, { action: "accept", content: { name: "Ann" } });
    expect((await stream.nextData()).result.structuredContent.answers.content).toEqual({ name: "Ann" });
    const again = await mcp(call("Talk_Ask", args), session);
    expect(again.body.result._meta.replayed).toBe(true);
    expect((await callModern("Counter_Runs", { name: count })).body.result.structuredContent).toBe(1);
  });
});
