/** An idempotency key returns the same call's result, and only to its own caller. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, handshake, mcp, request } from "../../../support/mcp.ts";

const count = (idempotency_key: string) => call("Talk_Count", { idempotency_key });

describe("an idempotency key", () => {
  it("returns no session's result to another session, nor to a caller without one", async () => {
    const [one, other] = [await handshake(), await handshake()];
    const key = crypto.randomUUID();
    expect((await mcp(count(key), one)).body.result.structuredContent).toEqual({ value: 1 });
    expect((await mcp(count(key), one)).body.result._meta).toEqual({ replayed: true });
    expect((await mcp(count(key), other)).body.error.code).toBe(-32602);
    expect((await mcp(count(key))).body.error.code).toBe(-32602);
    const body = JSON.stringify({ request: { tool_id: "Talk.Count", call_id: key } });
    const headers = { "content-type": "application/json" };
    const oxp = await exports.default.fetch("http://trivet.test/call", { method: "POST", headers, body });
    expect(oxp.status).toBe(400);
  });

  it("includes a call's files: the same key with another file is refused", async () => {
    const idempotency_key = crypto.randomUUID();
    const add = (file_id: string) => call("Math_Add", { a: 1, b: 2, idempotency_key, attachments: [{ file_id }] });
    expect((await mcp(add("one"))).body.result.content).toEqual([{ type: "text", text: "3" }]);
    expect((await mcp(add("other"))).body.error.code).toBe(-32602);
  });

  it("of the arguments comes before that of _meta, which comes before that of the header", async () => {
    const [own, ofMeta, header] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const isReplayed = async (key: string) => (await mcp(count(key))).body.result._meta?.replayed === true;
    const counting = (args: object, _meta: object) =>
      mcp(request("tools/call", { name: "Talk_Count", arguments: args, _meta }), { "idempotency-key": header });
    await counting({ idempotency_key: own }, { idempotency_key: ofMeta });
    expect([await isReplayed(own), await isReplayed(ofMeta)]).toEqual([true, false]);
    const second = crypto.randomUUID();
    await counting({}, { idempotency_key: second });
    expect([await isReplayed(second), await isReplayed(header)]).toEqual([true, false]);
  });

  it("in an empty header is refused, instead of running the call without one", async () => {
    const { body } = await mcp(call("Math_Add", { a: 1, b: 2 }), { "idempotency-key": "" });
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining("idempotency key") });
  });
});

describe("former attacks", () => {
  it("HEAD opens no stream, which nobody would read", async () => {
    const headers = { accept: "text/event-stream", ...(await handshake()) };
    const response = await exports.default.fetch("http://trivet.test/mcp", { method: "HEAD", headers });
    expect(response.status).toBe(405);
  });

  it("a block that JSON cannot represent is a failed call, not a server error", async () => {
    const { status, body } = await mcp(call("Outputs_Unprintable"));
    expect([status, body.result.isError]).toEqual([200, true]);
  });

  it("a very long URI is not found: a backtracking search would never finish", async () => {
    const uri = `talk://people/${"-".repeat(500_000)}`;
    const { body } = await mcp(request("resources/read", { uri }), await handshake());
    expect(body.error).toMatchObject({ code: -32002 });
  });
});
