/** Cancelled calls: by a notification before 2026-07-28, by closing the stream since. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, EVERYTHING, handshake, mcp, postMcp, request, streamed } from "../../../support/mcp.ts";
import { modernRequest, modernStream } from "../../../support/modern-client.ts";
import { streamOf } from "../../../support/sse.ts";

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
    // A client that takes only JSON has to get some: "the sender SHOULD ignore any response that arrives afterward".
    expect((await answer).body).toMatchObject({ id, result: { isError: true } });
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    '%s: ends the stream of a call without a response ("Not send a response for the cancelled request")',
    async (revision) => {
      const [session, name] = [await handshake(revision), crypto.randomUUID()];
      const stream = await streamed(wait(name, { progress: true }, 1, "t"), session);
      const progress = [await stream.nextData(), await stream.nextData()];
      expect(progress.map(({ method }) => method)).toEqual(["notifications/progress", "notifications/progress"]);
      await mcp(cancelled(1), session);
      expect(await stream.rest()).toEqual([]);
      expect(await how(name)).toBe("AbortError");
    },
  );

  it("of a call that has sent nothing yet gives a stream without events", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    const stream = streamed(wait(name, {}), session);
    await stands(name, "waiting");
    await mcp(cancelled("w"), session);
    expect(await (await stream).rest()).toEqual([]);
  });

  it("leaves the call out of a batch's responses", async () => {
    const [session, name] = [await handshake("2025-03-26"), crypto.randomUUID()];
    const answer = mcp([wait(name, {}), { ...request("ping"), id: "p" }], session);
    await stands(name, "waiting");
    await mcp(cancelled("w"), session);
    expect((await answer).body).toEqual([{ jsonrpc: "2.0", id: "p", result: {} }]);
    const alone = mcp([wait(`${name} 2`, {})], session);
    await stands(`${name} 2`, "waiting");
    await mcp(cancelled("w"), session);
    expect(await alone).toMatchObject({ status: 202, body: undefined });
  });

  it("of a call whose result comes all the same leaves it out", async () => {
    const session = await handshake();
    const name = crypto.randomUUID();
    const stream = await streamed(wait(name, { progress: true, ms: 400 }, 1, "t"), session);
    await stream.nextData();
    await mcp(cancelled(1), session);
    const messages = (await stream.rest()).map(({ data }) => data);
    expect(messages.filter(({ id }) => id === 1)).toEqual([]);
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
    expect(body.result).toMatchObject({ structuredContent: { value: `${name} waited` } });
  });

  it("of a call that is over stops no later call with its id", async () => {
    const [session, name] = [await handshake(), crypto.randomUUID()];
    await mcp(wait(crypto.randomUUID(), { ms: 300 }, "again"), session);
    await mcp(cancelled("again"), session);
    const { body } = await mcp(wait(name, { ms: 600 }, "again"), session);
    expect(body.result).toMatchObject({ structuredContent: { value: `${name} waited` } });
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

describe("a question of a call that ends (2025-11-25, basic/utilities/cancellation: either side can cancel)", () => {
  const asking = async (revision: string, what: string) => {
    const session = await handshake(revision, EVERYTHING);
    const stream = await streamed(call("Talk_Ask", { what }), session);
    return { session, stream, question: await stream.nextData() };
  };
  const withdrawn = (requestId: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId, reason: expect.stringMatching(/./) },
  });

  it.each([
    ["2025-06-18", "form", "elicitation/create"],
    ["2025-11-25", "form", "elicitation/create"],
    ["2025-11-25", "page", "elicitation/create"],
    ["2025-06-18", "sample", "sampling/createMessage"],
    ["2025-11-25", "roots", "roots/list"],
  ])("%s: is withdrawn before the stream of a cancelled call ends: %s", async (revision, what, method) => {
    const { session, stream, question } = await asking(revision, what);
    expect(question.method).toBe(method);
    await mcp(cancelled(1), session);
    expect((await stream.rest()).map(({ data }) => data)).toEqual([withdrawn(question.id)]);
    // An answer that was under way is accepted, and nobody gets it.
    const late = { jsonrpc: "2.0", id: question.id, result: { action: "decline" } };
    expect((await mcp(late, session)).status).toBe(202);
  });

  it("each of several is withdrawn, except those that were answered", async () => {
    const { session, stream, question } = await asking("2025-11-25", "form and sample");
    const other = await stream.nextData();
    const [answered, open] = question.method === "elicitation/create" ? [question, other] : [other, question];
    const answer = { action: "accept", content: { name: "Ann" } };
    await mcp({ jsonrpc: "2.0", id: answered.id, result: answer }, session);
    // The call has the answer before it learns that it is cancelled.
    expect(await stream.isSilent(300)).toBe(true);
    await mcp(cancelled(1), session);
    expect((await stream.rest()).map(({ data }) => data)).toEqual([withdrawn(open.id)]);
  });

  it("is also withdrawn if the call ends in another way: then the response follows", async () => {
    const { session, stream, question } = await asking("2025-11-25", "form and sample");
    const other = await stream.nextData();
    await mcp({ jsonrpc: "2.0", id: question.id, error: { code: -1, message: "User rejected" } }, session);
    const [withdrawal, response] = (await stream.rest()).map(({ data }) => data);
    expect(withdrawal).toEqual(withdrawn(other.id));
    expect(response).toMatchObject({ id: 1, result: { isError: true } });
  });

  it("can be resumed up to the withdrawal, and then no further: nothing comes that would be a response", async () => {
    const { session, stream, question } = await asking("2025-11-25", "form");
    await mcp(cancelled(1), session);
    const [last] = await stream.rest();
    expect(last?.data).toEqual(withdrawn(question.id));
    const headers = { accept: "text/event-stream", ...session, "last-event-id": last?.id ?? "" };
    const resumed = await exports.default.fetch("http://trivet.test/mcp", { headers });
    expect(resumed.status).toBe(400);
    await resumed.text();
  });
});

it("the end of a cancelled stream is known after all its messages were stored: 400, and no lost call", async () => {
  const [session, name] = [await handshake(), crypto.randomUUID()];
  const stream = await streamed(wait(name, { progress: true, release: true }, 1, "t"), session);
  const [first] = await stream.rest();
  const resume = (id = "") =>
    exports.default.fetch("http://trivet.test/mcp", {
      headers: { accept: "text/event-stream", ...session, "last-event-id": id },
    });
  const again = streamOf(await resume(first?.id));
  const read = [await again.next(), await again.next(), await again.next()];
  const last = read.findLast((event) => event?.data !== undefined);
  expect(last?.data.params.progress).toBe(2);
  await mcp(cancelled(1), session);
  expect(await again.rest()).toEqual([]);
  const refused = await resume(last?.id);
  expect([refused.status, (await refused.json<{ error: object }>()).error]).toEqual([
    400,
    { code: -32600, message: expect.stringContaining("Last-Event-ID") },
  ]);
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
