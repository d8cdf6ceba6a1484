/** Sessions of the revisions that have them (2025-11-25, basic/transports, Session Management). */
import { describe, expect, it, vi } from "vitest";
import { SESSION_LIFETIME_MS } from "../../../../src/core/model/session.ts";
import { call, endSession, handshake, mcp, request } from "../../../support/mcp.ts";

const count = async (headers: Record<string, string>) =>
  (await mcp(call("Talk_Count"), headers)).body.result?.structuredContent.value;

describe("sessions", () => {
  it("share a context between the calls of one session only", async () => {
    const [one, other] = [await handshake(), await handshake()];
    expect([await count(one), await count(one), await count(other), await count(one)]).toEqual([1, 2, 1, 3]);
  });

  it("are optional: a call without the header works without one", async () => {
    expect(await count({ "mcp-protocol-version": "2025-11-25" })).toBe(-1);
    expect(await count({})).toBe(-1);
  });

  it("have ids of visible ASCII characters", async () => {
    const { "mcp-session-id": id } = await handshake();
    // "The session ID MUST only contain visible ASCII characters (ranging from 0x21 to 0x7E)."
    expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  it("end with DELETE: 404 from then on", async () => {
    const session = await handshake();
    expect((await endSession(session)).status).toBe(204);
    // "The server MAY terminate the session at any time, after which it MUST respond … with HTTP 404 Not Found."
    const after = await mcp(call("Talk_Count"), session);
    expect(after.status).toBe(404);
    expect(after.body.error.message).toContain("Session not found");
  });

  const DEAD: [string, (id: string) => string][] = [
    ["an id of the client's own making", () => "my-session"],
    ["no characters", () => ""],
    ["one with another signature", (id: string) => `${id.slice(0, -2)}${id.endsWith("AA") ? "BA" : "AA"}`],
    ["one with another id", (id: string) => `${id.startsWith("A") ? "B" : "A"}${id.slice(1)}`],
    ["one with another revision", (id: string) => id.replace("2025-11-25", "2025-06-18")],
    ["one that is too long", (id: string) => id + "A".repeat(8_000)],
  ];

  it.each(DEAD)("reject %s", async (_, change) => {
    const { "mcp-session-id": id = "" } = await handshake();
    const { status } = await mcp(request("ping"), { "mcp-session-id": change(id) });
    expect(status).toBe(404);
  });

  // "it MUST start a new session by sending a new InitializeRequest without a session ID attached": not all clients
  // leave it out, and a 404 would tell them to do what they are doing.
  describe("start with initialize, whatever id it still carries:", () => {
    const begin = async (revision: string, headers: Record<string, string>, path?: string) => {
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      const answer = await mcp(request("initialize", params), headers, path);
      expect([answer.status, answer.body.result?.protocolVersion]).toEqual([200, revision]);
      const id = answer.headers.get("mcp-session-id") ?? "";
      expect(await count({ "mcp-session-id": id })).toBe(1);
      return id;
    };

    it.each(DEAD)("%s", async (_, change) => {
      const { "mcp-session-id": id = "" } = await handshake();
      await begin("2025-11-25", { "mcp-session-id": change(id) });
      await begin("2025-06-18", { "mcp-session-id": change(id), "mcp-protocol-version": "2025-11-25" });
    });

    it("one that has ended, one of another path, and one that still lives, which lives on", async () => {
      const ended = await handshake();
      await endSession(ended);
      await begin("2025-11-25", ended);
      await begin("2025-03-26", await handshake("2025-11-25", {}, "/math/mcp"));
      const living = await handshake();
      expect(await count(living)).toBe(1);
      expect(await begin("2025-11-25", living)).not.toBe(living["mcp-session-id"]);
      expect(await count(living)).toBe(2);
    });

    it("one that is a day old", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 2 * SESSION_LIFETIME_MS });
      const old = await handshake().finally(() => vi.useRealTimers());
      expect((await mcp(request("ping"), old)).status).toBe(404);
      await begin("2025-11-25", old);
    });
  });
});

describe("the handshake (2025-11-25, basic/lifecycle, Version Negotiation)", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "agrees on %s if the client requests it",
    async (revision) => {
      expect((await handshake(revision))["mcp-protocol-version"]).toBe(revision);
    },
  );

  it.each(["1999-01-01", "2030-01-01", ""])("offers its newest for %j", async (revision) => {
    // "Otherwise, the server MUST respond with another protocol version it supports. This SHOULD be the latest."
    expect((await handshake(revision))["mcp-protocol-version"]).toBe("2025-11-25");
  });

  it("answers ping with an empty result", async () => {
    expect((await mcp(request("ping"), await handshake())).body).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("refuses a version header that it does not know with 400", async () => {
    // Transports, Protocol Version Header: "invalid or unsupported … it MUST respond with 400 Bad Request".
    expect((await mcp(request("ping"), { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  });

  it("answers invalid arguments with an error before 2025-11-25, with a result since (changelog, SEP-1303)", async () => {
    const wrong = call("Math_Add", { a: 1, b: "infinity" });
    const before = await mcp(wrong, await handshake("2025-06-18"));
    expect(before.body.error.code).toBe(-32602);
    const since = await mcp(wrong, await handshake("2025-11-25"));
    expect(since.body.result.isError).toBe(true);
  });

  it("remembers the revision of clients that send no version header", async () => {
    const { "mcp-session-id": session = "" } = await handshake("2025-03-26");
    const { body } = await mcp(call("No_Such"), { "mcp-session-id": session });
    // -32601 is for clients without a handshake; every revision uses -32602.
    expect(body.error.code).toBe(-32602);
  });
});
