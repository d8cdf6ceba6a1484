/**
 * Calls that take long and say nothing: their responses begin after ten seconds, before they have an end, so that neither
 * proxies nor clients give up. Each test waits for the first byte, and only then lets its tool go.
 */
import { exports } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { RequestContext } from "../../src/http/request-context.ts";
import { jsonInTime } from "../../src/http/slow-json.ts";
import { SILENT_MS } from "../../src/http/sse.ts";
import { HOST } from "../support/http.ts";
import { BOTH, handshake, postMcp, request } from "../support/mcp.ts";
import { modernRequest } from "../support/modern-client.ts";
import { completed } from "../support/oxp.ts";

/** Each test takes ten seconds at least, so they run side by side. */
vi.setConfig({ maxConcurrency: 100 });
const SESSION_REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25"];

type Ending = "value" | "question" | "fault";
// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
type Body = any;

const letGo = (name: string) => completed("Counter.LetGo", { name });

/** A response whose tool still runs, read chunk by chunk. */
async function begun(responding: Promise<Response>) {
  const response = await responding;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const chunk = async () => {
    const { value } = await reader.read();
    return value && decoder.decode(value, { stream: true });
  };
  /** Reads until an end; without one, until the response ends. */
  const until = async (end?: string) => {
    let text = "";
    while (end === undefined || !text.endsWith(end)) {
      const next = await chunk();
      if (next === undefined) break;
      text += next;
    }
    return text;
  };
  return { response, chunk, until, rest: () => until(), close: () => reader.cancel() };
}

function send(path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return exports.default.fetch(`${HOST}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

const overOxp = (name: string, ending: Ending, more: object = {}) =>
  send("/tools/call", { request: { tool_id: "Counter.Lingers", input: { name, ending }, ...more } });

const overOpenTool = (name: string, ending: Ending, path = "/opentool/call") =>
  send(path, { jsonrpc: "2.0", id: "i", method: "Counter_Lingers", params: { name, ending } });

const message = (name: string, ending: Ending) =>
  request("tools/call", { name: "Counter_Lingers", arguments: { name, ending } });

const inSession = (revision: string, accept: object) => async (name: string, ending: Ending) =>
  postMcp(message(name, ending), { ...accept, ...(await handshake(revision)) });

const inModern = (accept: object, meta?: object) => (name: string, ending: Ending) => {
  const params = { name: "Counter_Lingers", arguments: { name, ending } };
  const made = modernRequest("tools/call", params, { meta: { ...meta } });
  return postMcp(made.message, { ...accept, ...made.headers });
};

const batched = async (name: string, ending: Ending) =>
  postMcp([message(name, ending)], { ...BOTH, ...(await handshake("2025-03-26")) });

const JSON_ONLY = { accept: "application/json" };

describe.concurrent.each<[string, (name: string, ending: Ending) => Promise<Response>]>([
  ["OXP", overOxp],
  ["OpenTool", overOpenTool],
  ["MCP without a session", (name, ending) => postMcp(message(name, ending), JSON_ONLY)],
  ...SESSION_REVISIONS.map((one) => [`MCP ${one}`, inSession(one, JSON_ONLY)] as [string, typeof overOxp]),
  ["MCP 2026-07-28", inModern(JSON_ONLY)],
  ["a batch of MCP 2025-03-26", batched],
])("%s, with JSON as the response", (protocol, call) => {
  /** What changes from call to call. */
  const fixed = (body: Body) => {
    for (const part of [body.result ?? {}]) if ("call_id" in part) Object.assign(part, { call_id: "", duration: 0 });
    return body;
  };

  // RFC 8259, section 2: "JSON-text = ws value ws".
  it("begins with white space, and ends as a call that takes less time", async () => {
    const [name, quick] = [`${protocol} value`, `${protocol} quick`];
    const { response, chunk, rest } = await begun(call(name, "value"));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    // RFC 9111, section 5.2.2.6: "an intermediary … MUST NOT transform the content". Compressed, spaces would be held back.
    expect(response.headers.get("cache-control")).toBe("no-transform");
    expect(response.headers.get("content-encoding")).toBe("identity");
    expect(await chunk()).toBe(" ");
    await Promise.all([letGo(name), letGo(quick)]);
    const late = JSON.parse(await rest());
    expect(fixed(late)).toEqual(fixed(await (await call(quick, "value")).json()));
  });

  it.each(["question", "fault"] as const)("ends with a %s in the same words", async (ending) => {
    const name = `${protocol} ${ending}`;
    const { response, rest } = await begun(call(name, ending));
    expect(response.status).toBe(200);
    await letGo(name);
    const late: Body = JSON.parse(await rest());
    const sooner: Body = await (await call(name, ending)).json();
    if (protocol !== "OXP" || ending === "fault") return expect(fixed(late)).toEqual(fixed(sooner));
    const { message, developer_message } = sooner;
    expect(late.result.error.developer_message).toBe(`${developer_message}\nover-mcp: question`);
    expect(message).toMatch(/^The tool needs an answer first: /);
    expect(late.result).toMatchObject({ success: false, error: { message, can_retry: false } });
  });
});

it.concurrent("a client that closes a JSON response that has begun aborts its call", async () => {
  let signal: AbortSignal | undefined;
  const responding = jsonInTime({ request: new Request(HOST) } as RequestContext, (client) => {
    client.onWait();
    signal = client.signal;
    return new Promise(() => {});
  });
  const { chunk, close } = await begun(responding);
  expect([await chunk(), signal?.aborted]).toEqual([" ", false]);
  await close();
  expect(signal?.aborted).toBe(true);
});

// RFC 8259, section 2: white space alone is not a JSON text.
it.concurrent("a batch whose only call is cancelled late ends as JSON without a message", async () => {
  const headers = { ...BOTH, ...(await handshake("2025-03-26")) };
  const { chunk, rest } = await begun(postMcp([message("batch cancelled", "value")], headers));
  expect(await chunk()).toBe(" ");
  await postMcp({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, headers);
  expect(JSON.parse(await rest())).toEqual([]);
});

describe.concurrent("an event stream", () => {
  // 2025-11-25, basic/transports: "The server SHOULD immediately send an SSE event consisting of an event ID and an empty
  // data field". Clients of earlier revisions cannot read it. 2025-03-26, basic/utilities/ping: "The receiver MUST respond
  // promptly".
  const FIRST: Record<string, RegExp> = {
    "2025-03-26": /^id: (\S+)\nevent: message\ndata: \{"jsonrpc":"2.0","id":"ping-[-0-9a-f]{36}","method":"ping"\}\n\n/,
    "2025-06-18": /^id: (\S+)\nevent: message\ndata: \{"jsonrpc":"2.0","id":"ping-[-0-9a-f]{36}","method":"ping"\}\n\n/,
    "2025-11-25": /^id: (\S+)\nretry: \d+\ndata: \n\n/,
  };

  it.each(Object.entries(FIRST))("%s: an id, then signs of life, then the result", async (revision, first) => {
    const name = `stream ${revision}`;
    const { response, until, rest } = await begun(inSession(revision, BOTH)(name, "value"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await until(": keep-alive\n\n")).toMatch(first);
    await letGo(name);
    expect(await rest()).toMatch(
      /^id: \S+\nevent: message\ndata: \{"jsonrpc":"2.0","id":1,"result":\{.*"text":"1".*\}\n\n$/,
    );
  });

  it.each(Object.entries(FIRST))("%s: is resumed where it broke", async (revision, first) => {
    const name = `resumed ${revision}`;
    const session = await handshake(revision);
    const { until, close } = await begun(postMcp(message(name, "value"), { ...BOTH, ...session }));
    const [, id = ""] = first.exec(await until("\n\n")) ?? [];
    await close();
    const resumed = await begun(
      exports.default.fetch(`${HOST}/mcp`, {
        headers: { accept: "text/event-stream", ...session, "last-event-id": id },
      }),
    );
    expect(first.exec(await resumed.until("\n\n"))?.[1]).toBe(id);
    await letGo(name);
    expect(await resumed.rest()).toMatch(/"id":1,"result":\{.*"text":"1"/);
  });

  it("2026-07-28: signs of life, then the result", async () => {
    const { response, chunk, rest } = await begun(inModern(BOTH)("stream", "value"));
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await chunk()).toBe(": keep-alive\n\n");
    await letGo("stream");
    expect(await rest()).toMatch(/^event: message\ndata: \{.*"structuredContent":1.*\}\n\n$/);
  });

  it("2026-07-28: a repeat with the key gets the result of the one run", async () => {
    const keyed = inModern(BOTH, { idempotency_key: "the key of a call that lingers" });
    const { chunk, close } = await begun(keyed("broken off", "value"));
    await chunk();
    await close();
    // It waits for the run, which takes long as well.
    const repeat = await begun(keyed("broken off", "value"));
    expect(await repeat.chunk()).toBe(": keep-alive\n\n");
    await letGo("broken off");
    expect(await repeat.rest()).toMatch(/"structuredContent":1.*"replayed":true/);
    expect(await completed("Counter.Runs", { name: "broken off" })).toBe(1);
  });

  it("OpenTool's streamCall: an empty line, which its Dart client ignores", async () => {
    const { chunk, rest } = await begun(overOpenTool("streamed", "value", "/opentool/streamCall"));
    expect(await chunk()).toMatch(/^event:start\n/);
    expect(await chunk()).toBe("\n");
    await letGo("streamed");
    expect(await rest()).toMatch(/^event:data\ndata:\{.*\}\n\nevent:done\n/);
  });

  it.each(SESSION_REVISIONS)("%s: a stream for changes has its first byte at once", async (revision) => {
    const headers = { accept: "text/event-stream", ...(await handshake(revision)) };
    const { chunk, close } = await begun(exports.default.fetch(`${HOST}/mcp`, { headers }));
    expect(await chunk()).toBe(": keep-alive\n\n");
    await close();
  });
});

describe("a call that takes no time", () => {
  it.each<[string, () => Promise<Response>]>([
    ["OXP", () => send("/tools/call", { request: { tool_id: "Math.Add", input: { a: 1, b: 2 } } })],
    ["OpenTool", () => send("/opentool/call", { jsonrpc: "2.0", id: "1", method: "Math_Add", params: { a: 1, b: 2 } })],
    ["MCP", () => postMcp(request("tools/call", { name: "Math_Add", arguments: { a: 1, b: 2 } }), BOTH)],
  ])("over %s, sets no timer", async (_, call) => {
    // The first call of a tool waits until its module is loaded.
    await call();
    const setTimeout = vi.spyOn(globalThis, "setTimeout");
    const response = await call();
    const timers = setTimeout.mock.calls.map(([, ms]) => ms);
    setTimeout.mockRestore();
    expect(await response.text()).toContain("3");
    expect(timers).not.toContain(SILENT_MS);
  });
});
