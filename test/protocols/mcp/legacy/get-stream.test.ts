/** The GET stream of a session: notifications across requests and isolates (2025-11-25, basic/transports; server/*). */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, endSession, handshake, listenTo, mcp, request, streamed } from "../../../support/mcp.ts";
import type { Stream } from "../../../support/sse.ts";

const change = (of: string, uri?: string) => mcp(call("Talk_Change", uri === undefined ? { of } : { of, uri }));

const open = (headers: Record<string, string>) => exports.default.fetch("http://trivet.test/mcp", { headers });

describe("GET (Listening for Messages from the Server)", () => {
  it("opens the stream of a session", async () => {
    const stream = await listenTo(await handshake());
    expect(stream.response.status).toBe(200);
    expect(await stream.isSilent(50)).toBe(true);
    await stream.close();
  });

  it.each(["2025-06-18", "2025-03-26"])("does so in %s", async (revision) => {
    const stream = await listenTo(await handshake(revision));
    await change("tools");
    expect((await stream.nextData()).method).toBe("notifications/tools/list_changed");
    await stream.close();
  });

  it.each<[string, number, (session: Record<string, string>) => Record<string, string>]>([
    // Observed: mcp-remote sends this before anything else.
    ["without a session", 405, () => ({ accept: "application/json, text/event-stream" })],
    ["without anything", 405, () => ({})],
    [
      "of 2026-07-28",
      405,
      (session) => ({ ...session, accept: "text/event-stream", "mcp-protocol-version": "2026-07-28" }),
    ],
    ["for another type", 406, (session) => ({ ...session, accept: "application/json" })],
    ["for any type", 406, (session) => session],
    ["of no session of ours", 404, () => ({ accept: "text/event-stream", "mcp-session-id": "mine" })],
    // Protocol Version Header: "invalid or unsupported … it MUST respond with 400 Bad Request".
    [
      "of an unknown revision",
      400,
      (session) => ({ ...session, accept: "text/event-stream", "mcp-protocol-version": "1999-01-01" }),
    ],
  ])("%s is a %i", async (_, status, headersOf) => {
    const response = await open(headersOf(await handshake()));
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.message]).toEqual([status, expect.any(String)]);
    if (status === 405) expect(response.headers.get("allow")).toContain("POST");
  });

  it("of a session that has ended is a 404, as are its calls", async () => {
    const session = await handshake();
    expect((await endSession(session)).status).toBe(204);
    expect((await open({ ...session, accept: "text/event-stream" })).status).toBe(404);
    expect((await mcp(request("ping"), session)).status).toBe(404);
    expect((await endSession(session)).status).toBe(404);
  });

  it("is one of at most 32 streams of a principal: then 429", async () => {
    const session = await handshake();
    const streams = await Promise.all(Array.from({ length: 32 }, () => listenTo(session)));
    const refused = await open({ ...session, accept: "text/event-stream" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    await refused.text();
    // A resumed stream counts as well.
    const call = request("tools/call", { name: "Talk_Wait", arguments: { name: "counts", ms: 1, release: true } });
    const [{ id = "" } = {}] = await (await streamed(call, session)).rest();
    const resumed = await open({ ...session, accept: "text/event-stream", "last-event-id": id });
    expect([resumed.status, resumed.headers.get("retry-after")]).toEqual([429, expect.any(String)]);
    await resumed.text();
    await streams.pop()?.close();
    const again = await listenTo(session, { "last-event-id": id });
    expect((await again.nextData()).id).toBe(1);
    await Promise.all(streams.map((stream) => stream.close()));
  });
});

describe("DELETE (Session Management)", () => {
  it.each<[string, number, Record<string, string>]>([
    ["without a session", 400, {}],
    ["of no session of ours", 404, { "mcp-session-id": "mine" }],
    ["of an unknown revision", 400, { "mcp-session-id": "mine", "mcp-protocol-version": "1999-01-01" }],
    // 2026-07-28, Streamable HTTP, Earlier Streamable HTTP Revisions: "respond with 405 Method Not Allowed".
    ["of 2026-07-28", 405, { "mcp-session-id": "mine", "mcp-protocol-version": "2026-07-28" }],
  ])("%s is a %i", async (_, status, headers) => {
    const response = await endSession(headers);
    expect(response.status).toBe(status);
    await response.text();
  });
});

describe("notifications", () => {
  it.each(["tools", "prompts", "resources"])("that %s have changed reach every session", async (of) => {
    const streams = [await listenTo(await handshake()), await listenTo(await handshake())];
    await change(of);
    for (const stream of streams) {
      expect(await stream.next()).toEqual({
        data: { jsonrpc: "2.0", method: `notifications/${of}/list_changed`, params: {} },
      });
      await stream.close();
    }
  });

  it("reach one of a session's streams, not all (Multiple Connections: MUST NOT broadcast)", async () => {
    const session = await handshake();
    const streams = [await listenTo(session), await listenTo(session)];
    await change("tools");
    const heard = async (stream: Stream) => !(await stream.isSilent(150));
    expect((await Promise.all(streams.map(heard))).filter(Boolean)).toHaveLength(1);
    await Promise.all(streams.map((stream) => stream.close()));
  });

  it("go to the stream that was opened last: an earlier one may have died unnoticed", async () => {
    const session = await handshake();
    const [one, other] = [await listenTo(session), await listenTo(session)];
    await one.close();
    await change("tools");
    expect((await other.nextData()).method).toBe("notifications/tools/list_changed");
    await other.close();
  });

  it("go to an earlier stream once the server notices that the last is closed", async () => {
    const session = await handshake();
    const [one, other] = [await listenTo(session), await listenTo(session)];
    await other.close();
    // What is published before that may be lost (Multiple Connections: message loss).
    for (let tries = 0; await one.isSilent(100); tries++) {
      expect(tries).toBeLessThan(20);
      await change("tools");
    }
    await one.close();
  });

  it("of a resource reach its subscribers, until they unsubscribe (server/resources, Subscriptions)", async () => {
    const [session, other] = [await handshake(), await handshake()];
    const [stream, elsewhere] = [await listenTo(session), await listenTo(other)];
    const subscribe = (method: string, uri: string) => mcp(request(`resources/${method}`, { uri }), session);

    expect((await subscribe("subscribe", "talk://news")).body.result).toEqual({});
    expect((await subscribe("subscribe", "talk://people/ann/pets/rex.json")).body.result).toEqual({});
    await change("resource", "talk://picture");
    await change("resource", "talk://news");
    expect(await stream.nextData()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: "talk://news" },
    });
    await change("resource", "talk://people/ann/pets/rex.json");
    expect((await stream.nextData()).params.uri).toBe("talk://people/ann/pets/rex.json");

    expect((await subscribe("unsubscribe", "talk://news")).body.result).toEqual({});
    await change("resource", "talk://news");
    expect(await stream.isSilent(100)).toBe(true);
    expect(await elsewhere.isSilent(50)).toBe(true);
    await Promise.all([stream.close(), elsewhere.close()]);
  });

  it("of a resource reach a stream that was opened after the subscription", async () => {
    const session = await handshake();
    await mcp(request("resources/subscribe", { uri: "talk://news" }), session);
    const stream = await listenTo(session);
    await change("resource", "talk://news");
    expect((await stream.nextData()).params).toEqual({ uri: "talk://news" });
    await stream.close();
  });

  it.each([
    ["an unknown resource", { uri: "talk://never-was" }, -32002],
    ["no URI", {}, -32602],
    ["a URI that is not a string", { uri: 7 }, -32602],
  ])("of %s cannot be subscribed to", async (_, params, code) => {
    const { body } = await mcp(request("resources/subscribe", params), await handshake());
    expect(body.error.code).toBe(code);
  });

  it("may be unsubscribed from without a subscription", async () => {
    const { body } = await mcp(request("resources/unsubscribe", { uri: "talk://never-was" }), await handshake());
    expect(body.result).toEqual({});
  });

  it("for a client that has gone do not affect the tool that publishes them", async () => {
    const session = await handshake();
    for (let index = 0; index < 10; index++) {
      const stream = await listenTo(session);
      const [, { body }] = await Promise.all([stream.close(), change("tools")]);
      expect(body.result).not.toHaveProperty("isError");
    }
  });
});
