/** Streams that are let go, or lost, and picked up again (2025-11-25, basic/transports, Resumability and Redelivery). */
import { describe, expect, it } from "vitest";
import { modernRequest } from "./modern-client.ts";
import { call, handshake, listenTo, mcp, postMcp, request, streamed } from "./support.ts";

const wait = (more: object, progressToken?: unknown) => {
  const name = crypto.randomUUID();
  const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
  return { name, message: request("tools/call", { name: "Talk_Wait", arguments: { name, ...more }, ...meta }, "r") };
};

const waited = (name: string) => ({
  jsonrpc: "2.0",
  id: "r",
  result: expect.objectContaining({ structuredContent: { value: `${name} waited` } }),
});

describe("a stream of 2025-11-25", () => {
  it("begins with an event that has an id, a time to wait and no data (Sending Messages, 6)", async () => {
    const { message } = wait({ ms: 50, progress: true }, "t");
    const stream = await streamed(message, await handshake());
    const first = await stream.next();
    expect(first).toEqual({ id: expect.stringMatching(/^[\x21-\x7e]+$/), retry: expect.stringMatching(/^\d+$/) });
    await stream.rest();
  });

  it("begins with a message in earlier revisions, whose clients know no empty data", async () => {
    const { message } = wait({ ms: 50, progress: true }, "t");
    const stream = await streamed(message, await handshake("2025-06-18"));
    expect((await stream.next())?.data.method).toBe("notifications/progress");
    await stream.rest();
  });

  it("that the tool lets go is picked up with its id: the result comes then", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 200, release: true });
    const stream = await streamed(message, session);
    const { id = "" } = (await stream.next()) ?? {};
    expect(await stream.next()).toBeUndefined();

    const again = await listenTo(session, { "last-event-id": id });
    const event = await again.next();
    expect(event?.data).toEqual(waited(name));
    // Its own id, to come back with once more.
    expect(event?.id).toBeDefined();
    expect(event?.id).not.toBe(id);
    expect(await again.next()).toBeUndefined();
  });

  it("may be picked up when all is over, and again: nothing is lost", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 1, release: true, progress: true }, "t");
    const stream = await streamed(message, session);
    const events = await stream.rest();
    const { id = "" } = events[0] ?? {};
    // What was said before it was let go has been heard.
    expect(events.slice(1).map(({ data }) => data.params.progress)).toEqual([1]);
    await new Promise((resume) => setTimeout(resume, 100));

    const whole = await (await listenTo(session, { "last-event-id": id })).rest();
    expect(whole.map(({ data }) => data.params?.progress ?? data)).toEqual([2, waited(name)]);
    const rest = await (await listenTo(session, { "last-event-id": whole[0]?.id ?? "" })).rest();
    expect(rest).toEqual([whole[1]]);
    expect(await (await listenTo(session, { "last-event-id": whole[1]?.id ?? "" })).rest()).toEqual([]);
  });

  it("that the client lost is picked up where it was", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 300, progress: true }, "t");
    const stream = await streamed(message, session);
    const { id = "" } = (await stream.next()) ?? {};
    await stream.nextData();
    await stream.nextData();
    await stream.close();
    const again = await listenTo(session, { "last-event-id": id });
    expect((await again.rest()).map(({ data }) => data)).toEqual([waited(name)]);
  });

  it("is of no use to another session (MUST NOT replay messages of a different stream)", async () => {
    const session = await handshake();
    const { message } = wait({ ms: 1, release: true });
    const stream = await streamed(message, session);
    const { id = "" } = (await stream.next()) ?? {};
    await stream.rest();
    const stranger = await listenTo(await handshake(), { "last-event-id": id });
    expect(await stranger.isSilent(200)).toBe(true);
    await stranger.close();
  });

  it("of another call does not get in between", async () => {
    const session = await handshake();
    const calls = [wait({ ms: 100, release: true }), wait({ ms: 50, release: true })];
    const streams = await Promise.all(calls.map(({ message }) => streamed(message, session)));
    const ids = await Promise.all(streams.map(async (stream) => (await stream.next())?.id ?? ""));
    for (const [index, { name }] of calls.entries()) {
      const again = await listenTo(session, { "last-event-id": ids[index] ?? "" });
      expect((await again.rest()).map(({ data }) => data)).toEqual([waited(name)]);
    }
  });

  it("can be asked on when it is picked up", async () => {
    const session = await handshake("2025-11-25", { elicitation: {} });
    const stream = await streamed(call("Talk_Ask", { what: "form" }), session);
    const { id = "" } = (await stream.next()) ?? {};
    const question = await stream.nextData();
    await stream.close();
    const again = await listenTo(session, { "last-event-id": id });
    await mcp({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } }, session);
    expect((await again.nextData()).result.structuredContent).toEqual({ answers: { action: "decline" } });
    expect(await again.next()).toBeUndefined();
  });
});

describe("a Last-Event-ID", () => {
  it.each(["", "nonsense", "a-b", "-1", "x-1.5"])("of %j opens the stream of the session", async (id) => {
    const stream = await listenTo(await handshake(), { "last-event-id": id });
    await mcp(call("Talk_Change", { of: "tools" }));
    expect((await stream.nextData()).method).toBe("notifications/tools/list_changed");
    await stream.close();
  });
});

describe("letting go", () => {
  it.each([
    [
      "a session of an earlier revision",
      async () => ({ ...(await handshake("2025-06-18")), accept: "text/event-stream" }),
    ],
    ["a client that takes no event streams", () => handshake()],
    ["a client without a session", async () => ({ "mcp-protocol-version": "2025-11-25", accept: "text/event-stream" })],
    ["a bare client", async () => ({})],
  ])("means nothing to %s: it waits", async (_, headersOf) => {
    const { name, message } = wait({ ms: 50, release: true });
    const { status, headers, body } = await mcp(message, await headersOf());
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body).toMatchObject(waited(name));
  });

  it("means nothing in 2026-07-28, which cannot resume (Streamable HTTP, Receiving Messages)", async () => {
    const { name } = wait({});
    const args = { name, ms: 50, release: true };
    const { message, headers } = modernRequest("tools/call", { name: "Talk_Wait", arguments: args }, { id: "r" });
    const response = await postMcp(message, { ...headers, accept: "text/event-stream, application/json" });
    expect(await response.json()).toMatchObject({ id: "r", result: { structuredContent: `${name} waited` } });
  });
});
