/** Progress and log messages: only if requested, in order, before the answer. Without any, the answer is plain JSON. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { BOTH, call, handshake, mcp, postMcp, request, streamed } from "../../../support/mcp.ts";
import { callModern, META, modern, modernStream, postModern } from "../../../support/modern-client.ts";
import { streamOf } from "../../../support/sse.ts";

const { KV: kv } = env as unknown as { KV: KVNamespace };
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const EVERY_LEVEL = LEVELS.map((level) => ({ level, data: level }));
const report = (steps: unknown[], more: object = {}) => ({ name: "Talk_Report", arguments: { steps, ...more } });

/** Everything in the answer to a call of the reporting tool. */
async function reported(steps: unknown[], meta: Record<string, unknown>) {
  const stream = await modernStream("tools/call", report(steps), { meta });
  return (await stream.rest()).map(({ data }) => data);
}

describe("the bytes of an event", () => {
  /** Each ends a line for Unicode (UAX #14), and thereby for Python's `splitlines` and Java's multi-line patterns. */
  const ENDS = "a\u2028b\u2029c\u0085d";
  const params = { ...report([{ progress: 1, message: ENDS }], {}), _meta: { progressToken: 1 } };

  /** The text of a stream, and the data of its events as a client reads it that takes only events named "message". */
  async function readStrictly(response: Response) {
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const text = await response.text();
    const named = text.split("\n\n").filter((block) => /^event: message$/m.test(block));
    const lines = named.flatMap((block) => block.split(/[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/));
    return lines.filter((line) => line.startsWith("data: ")).map((line) => JSON.parse(line.slice(6)));
  }

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("%s: named, and in one line", async (revision) => {
    const session = await handshake(revision);
    const messages = await readStrictly(await postMcp(request("tools/call", params), { ...BOTH, ...session }));
    expect(messages.map(({ method = "result" }) => method)).toEqual(["notifications/progress", "result"]);
    expect(messages[0].params.message).toBe(ENDS);
  });

  it("2026-07-28: the same", async () => {
    const stream = await postModern("tools/call", report([{ progress: 1, message: ENDS }]), {
      meta: { progressToken: 1 },
    });
    const messages = await readStrictly(stream);
    expect(messages.map(({ method = "result" }) => method)).toEqual(["notifications/progress", "result"]);
    expect(messages[0].params.message).toBe(ENDS);
  });

  it("an event without data has no name: it is only an id to resume from", async () => {
    const response = await postMcp(request("tools/call", params), { ...BOTH, ...(await handshake()) });
    const [first] = (await response.text()).split("\n\n");
    expect(first).toMatch(/^id: \S+\nretry: \d+\ndata: $/);
  });
});

describe("progress (basic/patterns/progress)", () => {
  it.each<[string | number]>([["abc123"], [7], [0], [""]])(
    "comes with the token %j, ahead of the result",
    async (progressToken) => {
      const steps = [{ progress: 0, total: 2, message: "begun" }, { progress: 1.5 }, { progress: 2, total: 2 }];
      const [first, second, third, result, ...more] = await reported(steps, { progressToken });
      const method = "notifications/progress";
      expect(first).toEqual({
        jsonrpc: "2.0",
        method,
        params: { progressToken, progress: 0, total: 2, message: "begun" },
      });
      expect(second).toEqual({ jsonrpc: "2.0", method, params: { progressToken, progress: 1.5 } });
      expect(third.params.progress).toBe(2);
      expect(result).toMatchObject({ id: 1, result: { resultType: "complete", structuredContent: "3 steps" } });
      expect(more).toEqual([]);
    },
  );

  it("increases with each notification, whatever the tool reports", async () => {
    const steps = [5, 5, 3, null, 6].map((progress) => ({ progress }));
    const messages = await reported(steps, { progressToken: 1 });
    expect(messages.slice(0, -1).map(({ params }) => params.progress)).toEqual([5, 6]);
  });

  it("comes without a total that is not finite: JSON would say null", async () => {
    const [first] = await reported([{ progress: 1, total: null }], { progressToken: 1 });
    expect(first.params).toEqual({ progressToken: 1, progress: 1 });
  });

  it.each([
    ["none", undefined],
    ["null", null],
    ["an object", {}],
    ["a boolean", true],
    ["a fraction", 1.5],
  ])("is not sent to a client whose token is %s: a single JSON answer", async (_, progressToken) => {
    const meta = progressToken === undefined ? {} : { progressToken };
    const response = await postModern("tools/call", report([{ progress: 1 }]), { meta });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ result: { structuredContent: "1 steps" } });
  });

  it("stops with the call: later messages are dropped", async () => {
    const meta = { progressToken: 1, [`${META}logLevel`]: "debug" };
    const stream = await modernStream("tools/call", report([{ progress: 1 }], { afterwards: true }), { meta });
    const methods = (await stream.rest()).map(({ data }) => data.method ?? "result");
    expect(methods).toEqual(["notifications/progress", "result"]);
  });
});

describe("log messages (server/utilities/logging)", () => {
  it.each(LEVELS)("come from the level %s on", async (level) => {
    const messages = await reported(EVERY_LEVEL, { [`${META}logLevel`]: level });
    const levels = messages.slice(0, -1).map(({ method, params }) => {
      expect(method).toBe("notifications/message");
      expect(params).toEqual({ level: params.level, logger: "Talk_Report", data: params.level });
      return params.level;
    });
    expect(levels).toEqual(LEVELS.slice(LEVELS.indexOf(level)));
    expect(messages.at(-1)).toMatchObject({ id: 1, result: {} });
  });

  it("carry any JSON", async () => {
    const data = { error: "Connection failed", details: { host: "localhost", ports: [1, null] } };
    const [message] = await reported([{ level: "error", data }], { [`${META}logLevel`]: "error" });
    expect(message.params.data).toEqual(data);
  });

  it("are not sent without a level (MUST NOT emit)", async () => {
    const response = await postModern("tools/call", report(EVERY_LEVEL));
    expect(response.headers.get("content-type")).toBe("application/json");
    const messages = await reported([...EVERY_LEVEL, { progress: 1 }], { progressToken: 1 });
    expect(messages.map(({ method }) => method)).toEqual(["notifications/progress", undefined]);
  });

  it.each([
    ["tools/call", report([])],
    ["prompts/get", { name: "Talk_Greet", arguments: { name: "Ann" } }],
    ["resources/read", { uri: "talk://news" }],
  ])("of no level are an error of %s: -32602 (Error Handling)", async (method, params) => {
    for (const level of ["loud", "INFO", "", 3, {}]) {
      const { body } = await modern(method, params, { meta: { [`${META}logLevel`]: level } });
      expect(body.error?.code, JSON.stringify(level)).toBe(-32602);
    }
  });

  it("keep their order among progress, and both come before the result", async () => {
    const steps = [
      { progress: 1 },
      { level: "info", data: "a" },
      { progress: 2 },
      { level: "debug", data: "b" },
      { level: "error", data: "c" },
      { progress: 3 },
    ];
    const messages = await reported(steps, { progressToken: 1, [`${META}logLevel`]: "info" });
    const said = messages.map(({ params }) => params?.progress ?? params?.data ?? "result");
    expect(said).toEqual([1, "a", 2, "c", 3, "result"]);
  });

  it.each<[string, unknown]>([
    ["numbers", { paid: "Infinity", rest: ["NaN", 1, "10"] }],
    ["nothing", "The value is of type undefined, which JSON cannot represent"],
    ["cycle", { name: "ring", sum: "NaN", within: [{ ring: expect.stringContaining("already described") }] }],
    ["mesh", expect.any(Array)],
    ["deep", expect.any(Array)],
    ["map", { a: expect.stringContaining("a Map"), b: expect.stringContaining("of type function") }],
    ["error", { error: { name: "TypeError", message: "no [redacted]" }, rest: 1 }],
    ["getter", "a getter"],
    ["revoked proxy", [expect.any(String)]],
    ["throwing toJSON", { sum: "NaN", "[redacted]": { toJSON: expect.stringContaining("of type function") } }],
  ])("describe what JSON cannot represent, and the call goes on: %s", async (kind, data) => {
    const params = { name: "Talk_Mutter", arguments: { kind } };
    const stream = await modernStream("tools/call", params, { meta: { [`${META}logLevel`]: "debug" } });
    const [log, { result }] = (await stream.rest()).map((event) => event.data);
    expect(log.params).toEqual({ level: "info", logger: "Talk_Mutter", data });
    expect(result).toMatchObject({ structuredContent: "done" });
  });

  it("are sent for a prompt as well", async () => {
    const params = { name: "Talk_Ends", arguments: { how: "well" } };
    const stream = await modernStream("prompts/get", params, { meta: { [`${META}logLevel`]: "debug" } });
    const [log, result] = (await stream.rest()).map(({ data }) => data);
    expect(log.params).toEqual({ level: "info", logger: "Talk_Ends", data: "well" });
    expect(result.result.resultType).toBe("complete");
  });
});

describe("the answer (Streamable HTTP, Receiving Messages)", () => {
  const meta = { progressToken: 1, [`${META}logLevel`]: "debug" };
  const steps = [{ progress: 1 }, { level: "info", data: "a" }];

  it("is an event stream from the first message on, and ends with the response", async () => {
    const stream = await modernStream("tools/call", report([{ progress: 1, pause: 2_000 }, { progress: 2 }]), { meta });
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get("x-accel-buffering")).toBe("no");
    expect((await stream.nextData()).params.progress).toBe(1);
    // The second message does not exist yet: messages are not held back until the call is over.
    expect(await stream.isSilent(50)).toBe(true);
    expect((await stream.nextData()).params.progress).toBe(2);
    expect(await stream.nextData()).toMatchObject({ id: 1, result: {} });
    expect(await stream.next()).toBeUndefined();
  });

  it("has no event ids: streams are not resumable", async () => {
    const events = await (await modernStream("tools/call", report(steps), { meta })).rest();
    for (const event of events) expect(Object.keys(event)).toEqual(["data"]);
  });

  it("is plain JSON if there are no messages", async () => {
    const response = await postModern("tools/call", report([]), { meta });
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it.each([[undefined], ["*/*"], ["application/json"], ["text/*"]])(
    "is plain JSON to a client that accepts %s",
    async (accept) => {
      const headers = accept === undefined ? {} : { accept };
      const { status, body } = await callModern("Talk_Report", { steps }, { meta, headers });
      expect([status, body.result.structuredContent]).toEqual([200, "2 steps"]);
    },
  );

  it("is an event stream if the client writes the type in capitals (RFC 9110, section 8.3.1)", async () => {
    const response = await postModern("tools/call", report(steps), { meta, headers: { accept: "Text/Event-Stream" } });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await response.body?.cancel();
  });

  it("ends with the error if the call fails after a message", async () => {
    const params = { name: "Talk_Ends", arguments: { how: "throw" } };
    const stream = await modernStream("prompts/get", params, { meta });
    const [, failed] = (await stream.rest()).map(({ data }) => data);
    expect(failed).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code: -32603 } });
  });
});

describe("before 2026-07-28", () => {
  const legacyReport = (steps: unknown[], progressToken?: unknown) =>
    request("tools/call", { ...report(steps), ...(progressToken !== undefined && { _meta: { progressToken } }) });

  it("progress goes to clients that requested it (2025-11-25, basic/utilities/progress)", async () => {
    const stream = await streamed(legacyReport([{ progress: 1 }, { progress: 2 }], "t"), await handshake());
    const said = (await stream.rest()).flatMap(({ data }) => data?.params?.progress ?? data?.result ?? []);
    expect(said).toEqual([1, 2, expect.objectContaining({ structuredContent: expect.anything() })]);
  });

  it("logs are sent from level info on, until the client sets another level (2025-11-25, server/utilities/logging)", async () => {
    const session = await handshake();
    const levels = async () => {
      const stream = await streamed(legacyReport(EVERY_LEVEL), session);
      return (await stream.rest()).flatMap(({ data }) => data?.params?.level ?? []);
    };
    expect(await levels()).toEqual(LEVELS.slice(1));
    for (const level of ["error", "debug", "emergency"]) {
      const set = await mcp(request("logging/setLevel", { level }), session);
      expect(set.body.result).toEqual({});
      expect(await levels()).toEqual(LEVELS.slice(LEVELS.indexOf(level)));
    }
    // Another session has its own level.
    const stream = await streamed(legacyReport(EVERY_LEVEL), await handshake());
    expect((await stream.nextData()).params.level).toBe("info");
    await stream.close();
  });

  it.each([["loud"], [3], [undefined], [null]])("the level %j is none: -32602 (Error Handling)", async (level) => {
    const { body } = await mcp(request("logging/setLevel", { level }), await handshake());
    expect(body.error.code).toBe(-32602);
  });

  it("many messages read the level once, and a failure to read it does not lose the result", async () => {
    const session = await handshake();
    const steps = Array.from({ length: 20 }, (_, index) => ({ level: "error", data: index }));
    const read = vi.spyOn(kv, "get");
    const stream = await streamed(legacyReport(steps), session);
    expect((await stream.rest()).flatMap(({ data }) => data?.params?.data ?? [])).toHaveLength(20);
    // One read for whether the session has ended, and one for its level.
    expect(read).toHaveBeenCalledTimes(2);
    read.mockImplementation((async (key: string) => {
      if (key.endsWith("/mcp")) throw new Error("KV is away");
      return null;
    }) as never);
    const { body } = await mcp(legacyReport(steps), { ...BOTH, ...session });
    expect(body.result.structuredContent).toEqual({ value: "20 steps" });
    read.mockRestore();
  });

  it("a client without a handshake gets plain JSON, whatever it accepts", async () => {
    const response = await postMcp(legacyReport([{ progress: 1 }, ...EVERY_LEVEL], "t"), BOTH);
    expect(response.headers.get("content-type")).toBe("application/json");
    await response.text();
  });

  it("so does one that does not accept event streams", async () => {
    const { body } = await mcp(legacyReport([{ progress: 1 }, ...EVERY_LEVEL], "t"), await handshake());
    expect(body.result.structuredContent).toEqual({ value: "9 steps" });
  });

  it("a client that names a revision without a session gets progress too", async () => {
    const headers = { ...BOTH, "mcp-protocol-version": "2025-06-18" };
    const stream = streamOf(await postMcp(legacyReport([{ progress: 1 }], "t"), headers));
    expect((await stream.nextData()).params.progress).toBe(1);
    await stream.rest();
    expect((await mcp(call("Talk_Count"), headers)).body.result.structuredContent).toEqual({ value: -1 });
  });
});
