/** Cancelled calls: by a notification before 2026-07-28, by closing the stream since. */
import { describe, expect, it } from "vitest";
import { call, handshake, mcp, postMcp, request, streamed } from "../../../support/mcp.ts";
import { modernRequest, modernStream } from "../../../support/modern-client.ts";

const how = async (name: string) => (await mcp(call("Talk_HowWaits", { name }))).body.result.structuredContent.value;

/** Waits until a call of the waiting tool is in this state. */
async function stands(name: string, state: string): Promise<void> {
  for (let tries = 0; (await how(name)) !== state; tries++) {
    if (tries > 100) throw new Error(`it stands as ${await how(name)}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

const wait = (name: string, more: object, id: unknown = "w", progressToken?: unknown) => ({
  ...request("tools/call", {
    name: "Talk_Wait",
    arguments: { name, ...more },
    ...(progressToken !== undefined && { _meta: { progressToken } }),
  }),
  id,
});

const cancelled = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "changed my mind" },
});

describe("notifications/cancelled (2025-11-25, basic/utilities/cancellation)", () => {
  it.each([["w"], [7]])("stops a call with the id %j", async (id) => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const answer = mcp(wait(name, {}, id), session);
    await stands(name, "waiting");
    expect((await mcp(cancelled(id), session)).status).toBe(202);
    await stands(name, "AbortError");
    // The answer does not matter: "the sender SHOULD ignore any response that arrives afterward".
    expect((await answer).status).toBe(200);
  });

  it("stops a call that streams", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const stream = await streamed(wait(name, { progress: true }, 1, "t"), session);
    await stream.nextData();
    await mcp(cancelled(1), session);
    await stands(name, "AbortError");
    await stream.rest();
  });

  it.each([
    ["a short id", "young"],
    ["the longest id", "i".repeat(255)],
    ["the longest id in JSON, six letters for each of its own", "\u0001".repeat(255)],
  ])("stops a call that has only just begun, and does not watch for signals yet: %s", async (_, id) => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const answer = mcp(wait(name, {}, id), session);
    await stands(name, "waiting");
    await mcp(cancelled(id), session);
    await answer;
    expect(await how(name)).toBe("AbortError");
  });

  it("of an id that is not running stops no later call with that id", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    await mcp(cancelled("early"), session);
    const { body } = await mcp(wait(name, { ms: 600 }, "early"), session);
    expect(body.result.structuredContent).toEqual({ value: `${name} waited` });
  });

  it("of a call that is over stops no later call with its id", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    await mcp(wait(crypto.randomUUID(), { ms: 300 }, "again"), session);
    await mcp(cancelled("again"), session);
    const { body } = await mcp(wait(name, { ms: 600 }, "again"), session);
    expect(body.result.structuredContent).toEqual({ value: `${name} waited` });
  });

  it("stops a call that reuses an id, if the earlier call was not cancelled", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    await mcp(wait(crypto.randomUUID(), { ms: 300 }, "twice"), session);
    const answer = mcp(wait(name, {}, "twice"), session);
    await stands(name, "waiting");
    await new Promise((resume) => setTimeout(resume, 400));
    await mcp(cancelled("twice"), session);
    await answer;
    expect(await how(name)).toBe("AbortError");
  });

  it.each<[string, unknown]>([
    ['1 for "1"', 1],
    ["another id", "2"],
    ["no id", undefined],
    ["an object", {}],
    ["null", null],
  ])("with %s stops nothing (Error Handling: SHOULD be ignored)", async (_, requestId) => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const answer = mcp(wait(name, { ms: 600 }, "1"), session);
    await stands(name, "waiting");
    expect((await mcp(cancelled(requestId), session)).status).toBe(202);
    expect((await answer).body.result.structuredContent).toEqual({ value: `${name} waited` });
  });

  it.each([
    ["a list", []],
    ["a text", "w"],
    ["nothing", undefined],
  ])("with %s for params is accepted", async (_, params) => {
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    expect((await mcp(message, await handshake())).status).toBe(202);
  });

  it("of another session, or of none, stops nothing", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const answer = mcp(wait(name, { ms: 600 }), session);
    await stands(name, "waiting");
    for (const other of [await handshake(), {}]) expect((await mcp(cancelled("w"), other)).status).toBe(202);
    expect((await answer).body.result.structuredContent).toEqual({ value: `${name} waited` });
  });

  it("of a call that is over is forgotten", async () => {
    const session = await handshake();
    await mcp({ ...call("Math_Add", { a: 1, b: 2 }), id: "over" }, session);
    expect((await mcp(cancelled("over"), session)).status).toBe(202);
  });
});

describe("a stream that its client closes", () => {
  it("stops the call in 2026-07-28 (Streamable HTTP, Cancellation: MUST be treated as cancellation)", async () => {
    const name = crypto.randomUUID();
    const params = { name: "Talk_Wait", arguments: { name, progress: true } };
    const stream = await modernStream("tools/call", params, { meta: { progressToken: 1 } });
    await stream.nextData();
    await stream.close();
    await stands(name, "AbortError");
  });

  it.each([
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    // This era's transport has no such rule: like all revisions with a handshake it cancels by notification.
    "2024-11-05",
  ])("does not in %s (basic/transports: SHOULD NOT be interpreted as cancelling)", async (revision) => {
    const [session, name] = [await handshake(revision), crypto.randomUUID()];
    const stream = await streamed(wait(name, { progress: true, ms: 400 }, 1, "t"), session);
    await stream.nextData();
    await stream.close();
    await stands(name, "done");
  });
});

/** POSTs a call, disconnects as soon as it runs, and returns its state afterwards. */
async function hangUpOn(name: string, message: unknown, headers: Record<string, string>, outcome: string) {
  const { exports } = await import("cloudflare:workers");
  const hangUp = new AbortController();
  const answer = exports.default.fetch("http://trivet.test/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(message),
    signal: hangUp.signal,
  });
  await stands(name, "waiting");
  hangUp.abort();
  await expect(answer).rejects.toThrow();
  await stands(name, outcome);
}

describe("a request whose client hangs up", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "runs on in %s, with one JSON answer as with a stream (basic/transports, Sending Messages)",
    async (revision) => {
      for (const accept of ["application/json", "application/json, text/event-stream"]) {
        const [session, name] = [await handshake(revision), crypto.randomUUID()];
        await hangUpOn(name, wait(name, { ms: 300 }), { ...session, accept }, "done");
      }
    },
  );

  it("runs on in a batch", async () => {
    const [session, name] = [await handshake("2025-03-26"), crypto.randomUUID()];
    await hangUpOn(name, [wait(name, { ms: 300 })], session, "done");
  });

  it("stops the call of a client without a handshake, which cannot cancel in any other way", async () => {
    const name = crypto.randomUUID();
    await hangUpOn(name, wait(name, {}), {}, "AbortError");
  });

  it("stops the call in 2026-07-28 (basic/patterns/cancellation: MUST treat a client disconnect as cancellation)", async () => {
    const name = crypto.randomUUID();
    const { message, headers } = modernRequest("tools/call", { name: "Talk_Wait", arguments: { name } });
    await hangUpOn(name, message, headers, "AbortError");
  });

  it("is answered in full if nobody hangs up", async () => {
    const name = crypto.randomUUID();
    const response = await postMcp(wait(name, { ms: 300 }));
    expect(await response.json()).toMatchObject({ result: { structuredContent: { value: `${name} waited` } } });
  });
});
