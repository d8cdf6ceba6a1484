/** Server errors: a store that cannot be reached is reported under the request's id, without details. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BOTH, call, handshake, mcp, request, streamed } from "../../../support/mcp.ts";
import { rpc } from "../../../support/opentool.ts";
import { call as oxp } from "../../../support/oxp.ts";

const { KV: kv } = env as unknown as { KV: KVNamespace };
const AWAY = () => {
  throw new Error("hidden in KV");
};
/** Session values cannot be read; whether a session has ended can. */
const valuesAway = () => {
  const get = kv.get.bind(kv) as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(kv, "get").mockImplementation(((name: string, ...how: unknown[]) =>
    name.startsWith("session:") ? AWAY() : get(name, ...how)) as never);
};

afterEach(() => vi.restoreAllMocks());

describe("a store that cannot be reached (2025-11-25, schema, INTERNAL_ERROR)", () => {
  it("is a 500 and -32603 under the request's id", async () => {
    const session = await handshake();
    valuesAway();
    const { status, body } = await mcp(request("logging/setLevel", { level: "error" }, "l"), session);
    expect([status, body]).toEqual([
      500,
      { jsonrpc: "2.0", id: "l", error: { code: -32603, message: "Internal error" } },
    ]);
  });

  it("is -32603 without an id if it is noticed before the request is parsed", async () => {
    const session = await handshake();
    vi.spyOn(kv, "get").mockImplementation(AWAY);
    const { status, body } = await mcp(request("ping"), session);
    expect([status, body]).toEqual([500, { jsonrpc: "2.0", error: { code: -32603, message: "Internal error" } }]);
  });

  it("fails its part of a batch, and no other", async () => {
    const session = await handshake("2025-03-26");
    valuesAway();
    const { status, body } = await mcp(
      [request("ping", undefined, 1), request("logging/setLevel", { level: "error" }, 2)],
      session,
    );
    expect(status).toBe(200);
    expect(body).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 2, error: { code: -32603, message: "Internal error" } },
    ]);
  });

  it("costs a tool's caller its session values, and not the result", async () => {
    const session = await handshake();
    vi.spyOn(kv, "put").mockImplementation(AWAY);
    const { status, body } = await mcp(call("Talk_Count"), { ...session, ...BOTH });
    expect([status, body.result.structuredContent]).toEqual([200, { value: 1 }]);
  });
});

describe("a result whose getters throw if it is read again after the check", () => {
  const changing = (progress?: boolean) => call("Outputs_Changing", { ...(progress && { progress }) });
  const shown = { structuredContent: { a: 1 } };

  it("is the result as it was checked", async () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => {});
    const { status, body } = await mcp({ ...changing(), id: "c" }, BOTH);
    expect([status, body]).toMatchObject([200, { id: "c", result: shown }]);
    expect((await rpc("Outputs_Changing")).body.result).toEqual({ a: 1 });
    expect(lines.mock.calls.flat().join("\n")).not.toContain("hidden");
  });

  it("also in a batch", async () => {
    const { status, body } = await mcp([{ ...changing(), id: 1 }, request("ping", undefined, 2)], {
      "mcp-protocol-version": "2025-03-26",
    });
    expect(status).toBe(200);
    expect(body[0].result.content[0].text).toBe('{"a":1}');
  });

  it("also on a stream with progress", async () => {
    const message = changing(true);
    const params = { ...(message.params as object), _meta: { progressToken: 1 } };
    const stream = await streamed({ ...message, params }, await handshake());
    const said = (await stream.rest()).map(({ data }) => data).filter(Boolean);
    expect(said.map(({ method, result }) => method ?? result.structuredContent)).toEqual([
      "notifications/progress",
      { a: 1 },
    ]);
  });

  it("is replayed with a key", async () => {
    const call_id = crypto.randomUUID();
    const send = () => oxp("Outputs.Changing", {}, { call_id });
    const [first, second] = [await send(), await send()];
    expect(first.body.result).toMatchObject({ success: true, value: { a: 1 } });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.text).toBe(first.text);
  });
});
