/**
 * Streams that the server closes or the client loses, and that are resumed (2025-11-25, Resumability and Redelivery).
 */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, handshake, listenTo, mcp, postMcp, request, streamed } from "../../../support/mcp.ts";
import { modernRequest } from "../../../support/modern-client.ts";
import type { Stream } from "../../../support/sse.ts";

const wait = (more: object, progressToken?: unknown) => {
  const name = crypto.randomUUID();
  const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
  return { name, message: request("tools/call", { name: "Talk_Wait", arguments: { name, ...more }, ...meta }, "r") };
};

/** Resumes a stream. It begins with the id that the client sent, in case it must resume again. */
async function resume(session: Record<string, string>, id = ""): Promise<Stream> {
  const stream = await listenTo(session, { "last-event-id": id });
  expect(await stream.next()).toEqual({ id, retry: expect.stringMatching(/^\d+$/) });
  return stream;
}

const refused = async (session: Record<string, string>, id: string) => {
  const headers = { accept: "text/event-stream", ...session, "last-event-id": id };
  const response = await exports.default.fetch("http://trivet.test/mcp", { headers });
  return { status: response.status, body: await response.json() };
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

  it("begins with a message in earlier revisions, whose clients do not support empty data", async () => {
    const { message } = wait({ ms: 50, progress: true }, "t");
    const stream = await streamed(message, await handshake("2025-06-18"));
    expect((await stream.next())?.data.method).toBe("notifications/progress");
    await stream.rest();
  });

  it("of a tool with keep: false has no ids to resume with, as its result is not stored", async () => {
    const message = request("tools/call", { name: "Talk_KeepsNothing", _meta: { progressToken: "t" } }, "r");
    const stream = await streamed(message, await handshake());
    const events = [await stream.next(), await stream.next()];
    expect(events.map((event) => event?.id)).toEqual([undefined, undefined]);
    expect(events[1]?.data.result.content[0].text).toBe("for nobody else");
    expect(await stream.next()).toBeUndefined();
  });

  it("that the tool closes can be resumed with its id, and then delivers the result", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 200, release: true });
    const stream = await streamed(message, session);
    const { id = "" } = (await stream.next()) ?? {};
    expect(await stream.next()).toBeUndefined();

    const again = await resume(session, id);
    const event = await again.next();
    expect(event?.data).toEqual(waited(name));
    // Its own id, to resume with again.
    expect(event?.id).toBeDefined();
    expect(event?.id).not.toBe(id);
    expect(await again.next()).toBeUndefined();
  });

  it("can be resumed when the call is over, and again: nothing is lost", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 1, release: true, progress: true }, "t");
    const stream = await streamed(message, session);
    const events = await stream.rest();
    expect(events.slice(1).map(({ data }) => data.params.progress)).toEqual([1]);
    await new Promise((done) => setTimeout(done, 100));

    const whole = await (await resume(session, events[0]?.id)).rest();
    expect(whole.map(({ data }) => data.params?.progress ?? data)).toEqual([1, 2, waited(name)]);
    expect(await (await resume(session, whole[0]?.id)).rest()).toEqual(whole.slice(1));
    expect(await (await resume(session, events[1]?.id)).rest()).toEqual(whole.slice(1));
    const { status, body } = await refused(session, whole[2]?.id ?? "");
    expect([status, body]).toEqual([400, { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } }]);
  });

  it("that the client lost is resumed where it was", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 300, progress: true }, "t");
    const stream = await streamed(message, session);
    await stream.next();
    await stream.nextData();
    const { id } = (await stream.next()) ?? {};
    await stream.close();
    const again = await resume(session, id);
    expect((await again.rest()).map(({ data }) => data)).toEqual([waited(name)]);
  });

  it.each([
    ["when the call has just begun", 0, 500],
    ["when it has run for a while", 400, 900],
  ])("that broke unnoticed is resumed %s: nothing of it is lost, and the old one ends", async (_, after, ms) => {
    const session = await handshake();
    const { name, message } = wait({ ms, progress: true }, "t");
    const stream = await streamed(message, session);
    await stream.next();
    const first = await stream.next();
    expect(first?.data.params.progress).toBe(1);
    await new Promise((done) => setTimeout(done, after));
    // The server believes that the first connection is still open.
    const again = await resume(session, first?.id);
    expect((await again.rest()).map(({ data }) => data.params?.progress ?? data)).toEqual([2, waited(name)]);
    // Only the messages that were under way there, and no result.
    expect((await stream.rest()).map(({ data }) => data.params?.progress)).toEqual([2]);
  });

  it("that broke again after it was resumed can be resumed again", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 1_500, progress: true }, "t");
    const stream = await streamed(message, session);
    const { id } = (await stream.next()) ?? {};
    const once = await resume(session, id);
    const [one, two] = [await once.next(), await once.next()];
    expect([one?.data.params.progress, two?.data.params.progress]).toEqual([1, 2]);
    const twice = await resume(session, one?.id);
    expect((await twice.rest()).map(({ data }) => data.params?.progress ?? data)).toEqual([2, waited(name)]);
    expect(await once.rest()).toEqual([]);
    await stream.close();
  });

  it("that broke just before its end still has its result", async () => {
    const session = await handshake();
    const { name, message } = wait({ ms: 1, progress: true }, "t");
    const events = await (await streamed(message, session)).rest();
    expect(events.at(-1)?.data).toEqual(waited(name));
    expect(await (await resume(session, events[1]?.id)).rest()).toEqual(events.slice(2));
  });

  it("cannot be resumed by another session (MUST NOT replay messages of a different stream)", async () => {
    const session = await handshake();
    const { message } = wait({ ms: 1, release: true });
    const stream = await streamed(message, session);
    const { id = "" } = (await stream.next()) ?? {};
    await stream.rest();
    expect((await refused(await handshake(), id)).status).toBe(400);
  });

  it("of another call does not interfere", async () => {
    const session = await handshake();
    const calls = [wait({ ms: 100, release: true }), wait({ ms: 50, release: true })];
    const streams = await Promise.all(calls.map(({ message }) => streamed(message, session)));
    const ids = await Promise.all(streams.map(async (stream) => (await stream.next())?.id ?? ""));
    for (const [index, { name }] of calls.entries()) {
      const again = await resume(session, ids[index]);
      expect((await again.rest()).map(({ data }) => data)).toEqual([waited(name)]);
    }
  });

  it("can carry questions after it is resumed", async () => {
    const session = await handshake("2025-11-25", { elicitation: {} });
    const stream = await streamed(call("Talk_Ask", { what: "form" }), session);
    const { id = "" } = (await stream.next()) ?? {};
    const question = await stream.nextData();
    await stream.close();
    const again = await resume(session, id);
    expect(await again.nextData()).toEqual(question);
    await mcp({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } }, session);
    expect((await again.nextData()).result.structuredContent).toEqual({ answers: { action: "decline" } });
    expect(await again.next()).toBeUndefined();
  });
});

describe("a Last-Event-ID that was never issued", () => {
  const issued = async (session: Record<string, string>) => {
    const stream = await streamed(wait({ ms: 1, progress: true }, "t").message, session);
    return (await stream.rest())[0]?.id ?? "";
  };
  const changed = (id: string, at: number) => {
    const parts = id.split(/([.-](?=[^.]*$)|\.)/);
    parts[at] = parts[at]?.startsWith("A") ? `B${parts[at].slice(1)}` : `A${parts[at]?.slice(1)}`;
    return parts.join("");
  };

  it.each<[string, (id: string) => string]>([
    ["nonsense", () => "nonsense"],
    ["a name and a number", () => "a-1"],
    [
      "a note that nests 8,000 deep",
      () => `a.${btoa("[".repeat(8_000) + "]".repeat(8_000)).replaceAll("=", "")}.AAAA-1`,
    ],
    ["a name that is not signed", (id) => `${id.split(".")[0]}-0`],
    ["another stream", (id) => changed(id, 0)],
    ["another request", (id) => changed(id, 2)],
    ["another signature", (id) => changed(id, 4)],
    ["no number", (id) => id.replace(/-0$/, "")],
    ["a fraction", (id) => `${id}.5`],
    ["a number below zero", (id) => id.replace(/-0$/, "--1")],
  ])("%s is a 400, and does not end the session", async (_, forge) => {
    const session = await handshake();
    const id = await issued(session);
    expect(forge(id)).not.toBe(id);
    const { status, body } = await refused(session, forge(id));
    expect([status, body]).toEqual([
      400,
      { jsonrpc: "2.0", error: { code: -32600, message: expect.stringContaining("Last-Event-ID") } },
    ]);
    expect((await mcp(request("ping"), session)).status).toBe(200);
  });

  it.each([
    ["that is over", 1],
    ["that still runs", 600],
  ])("a position that a stream %s has not reached is an error", async (_, ms) => {
    const session = await handshake();
    const stream = await streamed(wait({ ms, progress: true }, "t").message, session);
    const { id = "" } = (await stream.next()) ?? {};
    if (ms === 1) await stream.rest();
    const ahead = id.replace(/-0$/, "-99");
    if (ms === 1) expect((await refused(session, ahead)).status).toBe(400);
    else expect((await (await resume(session, ahead)).nextData()).error.message).toEqual(expect.any(String));
    await stream.close();
  });

  it("that is empty is ignored: the request opens the session's stream", async () => {
    const stream = await listenTo(await handshake(), { "last-event-id": "" });
    await mcp(call("Talk_Change", { of: "tools" }));
    expect((await stream.nextData()).method).toBe("notifications/tools/list_changed");
    await stream.close();
  });
});

describe("closing a stream", () => {
  it.each([
    [
      "a session of an earlier revision",
      async () => ({ ...(await handshake("2025-06-18")), accept: "text/event-stream" }),
    ],
    ["a client that takes no event streams", () => handshake()],
    ["a client without a session", async () => ({ "mcp-protocol-version": "2025-11-25", accept: "text/event-stream" })],
    ["a bare client", async () => ({})],
  ])("does nothing for %s: it waits", async (_, headersOf) => {
    const { name, message } = wait({ ms: 50, release: true });
    const { status, headers, body } = await mcp(message, await headersOf());
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body).toMatchObject(waited(name));
  });

  it("does nothing in 2026-07-28, which cannot resume (Streamable HTTP, Receiving Messages)", async () => {
    const { name } = wait({});
    const args = { name, ms: 50, release: true };
    const { message, headers } = modernRequest("tools/call", { name: "Talk_Wait", arguments: args }, { id: "r" });
    const response = await postMcp(message, { ...headers, accept: "text/event-stream, application/json" });
    expect(await response.json()).toMatchObject({ id: "r", result: { structuredContent: `${name} waited` } });
  });
});
