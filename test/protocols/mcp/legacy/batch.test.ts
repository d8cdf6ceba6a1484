/** Batches: only 2025-03-26 has them (basic/index, Batching). */
import { describe, expect, it } from "vitest";
import { BOTH, call, handshake, mcp, request } from "../../../support/mcp.ts";

const ping = (id: unknown) => request("ping", undefined, id);
const add = (id: unknown) => ({ ...call("Math_Add", { a: 1, b: 2 }), id });
const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
const response = { jsonrpc: "2.0", id: 9, result: {} };
const V = { "mcp-protocol-version": "2025-03-26" };

describe("a batch (2025-03-26, basic/index, Batching: MUST support receiving)", () => {
  it.each<[string, () => Promise<Record<string, string>>]>([
    ["in a session of that revision", () => handshake("2025-03-26")],
    [
      "in one whose client never names it",
      async () => ({ "mcp-session-id": (await handshake("2025-03-26"))["mcp-session-id"] as string }),
    ],
    ["with the header alone", async () => V],
    ["of a client that names no revision", async () => ({})],
  ])("%s gets a batch of answers", async (_, headersOf) => {
    const { status, body } = await mcp([ping(1), notification, add("two"), response, ping(3)], await headersOf());
    expect(status).toBe(200);
    expect(body).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      expect.objectContaining({
        id: "two",
        result: expect.objectContaining({ content: [{ type: "text", text: "3" }] }),
      }),
      { jsonrpc: "2.0", id: 3, result: {} },
    ]);
  });

  it("of notifications and responses only is accepted with 202 and no body (basic/transports, Sending Messages)", async () => {
    const { status, body } = await mcp([notification, response], V);
    expect([status, body]).toEqual([202, undefined]);
  });

  it("with one Idempotency-Key for all messages is refused, and runs nothing: the key is ambiguous", async () => {
    const name = crypto.randomUUID();
    const bump = call("Counter_Bump", { name });
    const { status, body } = await mcp([bump], { ...V, "idempotency-key": "k" });
    expect([status, body.error.code]).toEqual([400, -32600]);
    expect((await mcp(bump)).body.result.content[0].text).toContain("1");
  });

  it("gets an error for each invalid message", async () => {
    const messages = [ping(1), 7, { id: 2, method: "ping" }, request("no/such", {}, 3), add(4), []];
    const { status, body } = await mcp(messages, V);
    expect(status).toBe(200);
    const codes = body.map(({ id, error }: { id?: unknown; error?: { code: number } }) => [id, error?.code]);
    expect(codes).toEqual([
      [1, undefined],
      [undefined, -32600],
      [2, -32600],
      [3, -32601],
      [4, undefined],
      [undefined, -32600],
    ]);
    for (const answer of body) expect(answer.id).not.toBeNull();
  });

  it("with no readable message is a 400", async () => {
    const { status, body } = await mcp([1, "2"], V);
    expect([status, body.error.code]).toEqual([400, -32600]);
  });

  it("refuses initialize in it (basic/lifecycle: MUST NOT be part of a batch)", async () => {
    const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const { headers, body } = await mcp([request("initialize", params, 1), ping(2)]);
    expect(headers.has("mcp-session-id")).toBe(false);
    expect(body).toEqual([
      { jsonrpc: "2.0", id: 1, error: { code: -32600, message: expect.stringContaining("initialize") } },
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
  });

  it("has at least one message, and at most 50", async () => {
    const of = (count: number) =>
      mcp(
        Array.from({ length: count }, (_, id) => ping(id)),
        V,
      );
    expect((await of(50)).body).toHaveLength(50);
    for (const count of [0, 51]) {
      const { status, body } = await of(count);
      expect([status, body.error.code]).toEqual([400, -32600]);
    }
  });

  describe("whose answers are over 10 million characters together", () => {
    // Each value is in the answer twice: as text, and as structured content.
    const long = (id: number, later: boolean) => ({ ...call("Outputs_Long", { length: 600_000, later }), id });
    const many = () => Array.from({ length: 14 }, (_, id) => long(id, false));
    const keyed = (message: ReturnType<typeof long>) => ({
      ...message,
      params: { ...(message.params as object), _meta: { idempotency_key: crypto.randomUUID() } },
    });
    interface Told {
      id: number;
      error?: { message: string };
    }

    it("does not run the rest, and answers each with an error: a short request must not fill an isolate's memory", async () => {
      const name = crypto.randomUUID();
      const bump = { ...call("Counter_Bump", { name }), id: 14 };
      await mcp(long(0, false));
      const { status, body } = await mcp([...many(), bump, ping(15)], V);
      expect(status).toBe(200);
      expect(body.map(({ id }: Told) => id)).toEqual(Array.from({ length: 16 }, (_, id) => id));
      expect(body.findIndex(({ error }: Told) => error)).toBe(8);
      expect(body[8].error.message).toContain("has run");
      for (const { error } of body.slice(9)) expect(error.message).toContain("was not run");
      expect((await mcp(bump)).body.result.content[0].text).toContain("1");
    });

    it.each<[string, (id: number) => object]>([
      ["that take a while", (id) => long(id, true)],
      ["with a key, which wait for its store", (id) => keyed(long(id, false))],
    ])("runs calls %s four at a time, and answers which have run and which have not", async (_, one) => {
      const { body } = await mcp(
        Array.from({ length: 20 }, (_, id) => one(id)),
        V,
      );
      expect(body.map(({ id }: Told) => id)).toEqual(Array.from({ length: 20 }, (_, id) => id));
      const left: string[] = body.flatMap(({ error }: Told) => error?.message ?? []);
      expect(left).toHaveLength(12);
      expect(left.filter((message) => message.includes("has run")).length).toBeLessThanOrEqual(4);
      expect(left.filter((message) => message.includes("was not run")).length).toBeGreaterThanOrEqual(8);
      expect(JSON.stringify(body).length).toBeLessThan(10_100_000);
    });
  });

  it.each([
    ["plain JSON only", {}],
    ["event streams too", BOTH],
  ])("is one JSON answer for a client that accepts %s, whatever messages its calls send", async (_, accept) => {
    const params = {
      name: "Talk_Report",
      arguments: { steps: [{ progress: 1 }, { level: "error", data: "x" }] },
      _meta: { progressToken: 1 },
    };
    const session = await handshake("2025-03-26");
    const { status, headers, body } = await mcp([request("tools/call", params, 1), ping(2)], { ...session, ...accept });
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body.map(({ id }: { id: unknown }) => id)).toEqual([1, 2]);
    expect(body[0].result.structuredContent).toEqual({ value: "2 steps" });
  });

  it("asks no questions: it has a single answer", async () => {
    const session = await handshake("2025-03-26", { elicitation: {} });
    const ask = { ...call("Talk_Ask", { what: "form" }), id: 1 };
    const { body } = await mcp([ask, ping(2)], { ...session, ...BOTH });
    expect(body[0].result.isError).toBe(true);
  });
});

describe("no batch", () => {
  it.each(["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28", "1999-01-01"])(
    "with the header %s: 400",
    async (revision) => {
      const { status, body } = await mcp([ping(1)], { "mcp-protocol-version": revision });
      expect([status, body.error.code]).toEqual([400, -32600]);
    },
  );

  it("in a session of another revision: 400", async () => {
    const { "mcp-session-id": id = "" } = await handshake("2025-06-18");
    expect((await mcp([ping(1)], { "mcp-session-id": id })).status).toBe(400);
  });

  it("in an unknown session: 404", async () => {
    expect((await mcp([ping(1)], { "mcp-session-id": "mine" })).status).toBe(404);
  });
});
