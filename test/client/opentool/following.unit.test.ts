/** Calls that still run when the server answers (docs/tasks.md), and what no exception may show. */
import { describe, expect, it } from "vitest";
import { FunctionCall, OpenToolClient, OpenToolServerCallException } from "../../../src/client/opentool.ts";

const KEY = "the-key-of-ada";
const CALL = new FunctionCall("c", "Reports_Make", { url: "https://example.com" });

const rpc = (more: object) => ({ jsonrpc: "2.0", result: {}, error: null, id: "c", ...more });
const RUNNING = rpc({ error: { code: 503, message: "Later", data: { can_retry: true, retry_after_ms: 1 } } });
const DONE = rpc({ result: { value: 7 } });

const event = (name: string, data: unknown) => `event:${name}\ndata:${JSON.stringify(data)}\n\n`;
const streamed = (...events: string[]) =>
  new Response(event("start", { start: "Reports_Make" }) + events.join(""), {
    headers: { "content-type": "text/event-stream" },
  });

/** A client of a server that gives these answers, and what it was sent. */
function served(...answers: Response[]) {
  const sent: { readonly path: string; readonly init: RequestInit }[] = [];
  const client = new OpenToolClient({
    url: "https://tools.example",
    apiKey: KEY,
    async fetch(url, init) {
      sent.push({ path: new URL(url).pathname, init });
      return answers.shift() ?? Response.error();
    },
  });
  return { client, sent };
}

describe("a call that still runs", () => {
  it.each([{ idempotencyKey: "order-1" }, {}])("is sent again as it was until it has ended: %j", async (options) => {
    const { client, sent } = served(Response.json(RUNNING), Response.json(RUNNING), Response.json(DONE));
    expect((await client.call(CALL, options)).result).toEqual({ value: 7 });
    expect(sent).toHaveLength(3);
    const [{ init } = { init: undefined }] = sent;
    for (const one of sent)
      expect(one).toEqual({ path: "/opentool/call", init: { ...init, signal: expect.anything() } });
  });

  it.each([0, Number.NaN])("is thrown once the time is over: %s ms", async (totalMs) => {
    const { client, sent } = served(Response.json(RUNNING));
    await expect(client.call(CALL, { totalMs })).rejects.toMatchObject({ code: 503 });
    expect(sent).toHaveLength(1);
  });

  it("is given up with the caller's signal", async () => {
    const wait = rpc({ error: { code: 503, message: "Later", data: { can_retry: true, retry_after_ms: 60_000 } } });
    const stop = new AbortController();
    const { client } = served(Response.json(wait));
    const calling = client.call(CALL, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("The user has left")), 10);
    await expect(calling).rejects.toThrow("The user has left");
  });

  it.each([
    ["another code", { code: 500, data: { can_retry: true, retry_after_ms: 1 } }],
    ["no retry", { code: 503, data: { can_retry: false, retry_after_ms: 1 } }],
    ["no time", { code: 503, data: { can_retry: true } }],
    ["no data", { code: 503 }],
  ])("%s: is a failure like any other", async (_, error) => {
    const { client, sent } = served(Response.json(rpc({ error: { message: "No", ...error } })));
    await expect(client.call(CALL)).rejects.toBeInstanceOf(OpenToolServerCallException);
    expect(sent).toHaveLength(1);
  });

  it("is not sent again once its result is there", async () => {
    const { client, sent } = served(streamed(event("data", DONE), event("error", RUNNING)));
    const events: string[] = [];
    const reading = async () => {
      for await (const one of client.streamCall(CALL)) events.push(one.event);
    };
    await expect(reading()).rejects.toMatchObject({ code: 503 });
    expect([events, sent.length]).toEqual([["start", "data"], 1]);
  });

  it("streams on: one start, one result, one end", async () => {
    const { client, sent } = served(
      streamed(event("error", RUNNING)),
      streamed(event("error", RUNNING), event("done", {})),
      streamed(event("data", DONE), event("done", { done: "Reports_Make" })),
    );
    const events = await Array.fromAsync(client.streamCall(CALL), ({ event, toolReturn }) => [
      event,
      toolReturn.result,
    ]);
    expect(events).toEqual([
      ["start", { start: "Reports_Make" }],
      ["data", { value: 7 }],
      ["done", { done: "Reports_Make" }],
    ]);
    expect(sent).toHaveLength(3);
  });
});

it("a stream that is refused for now is asked for again", async () => {
  const { client, sent } = served(
    Response.json(RUNNING, { status: 503 }),
    streamed(event("data", DONE), event("done", {})),
  );
  const events = await Array.fromAsync(client.streamCall(CALL), ({ event }) => event);
  expect(events).toEqual(["start", "data", "done"]);
  expect(sent).toHaveLength(2);
});

it("a key whose characters are part of a number changes no data that is none", async () => {
  const data = { can_retry: true, retry_after_ms: 1, n: 12_345, text: "1234!" };
  const client = new OpenToolClient({
    url: "https://tools.example",
    apiKey: "1234",
    fetch: async () => Response.json(rpc({ error: { code: 500, message: "No", data } })),
  });
  const error = await client.call(CALL).catch((error) => error);
  expect(error.data).toEqual({ ...data, text: "[redacted]!" });
});

describe("the time of a stream", () => {
  /** A stream of five pieces, with a pause before each. It is ended with its request. */
  function paced(pauseMs: number): (url: string, init: RequestInit) => Promise<Response> {
    const pieces = [event("start", {}), "\n", "\n", event("data", DONE), event("done", {})];
    return async (_, { signal }) =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resume) => setTimeout(resume, pauseMs));
            if (signal?.aborted) return controller.error(signal.reason);
            const piece = pieces.shift();
            if (piece === undefined) controller.close();
            else controller.enqueue(new TextEncoder().encode(piece));
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
  }

  it("starts again with each sign of life", async () => {
    const client = new OpenToolClient({ url: "https://tools.example", timeoutMs: 1_000, fetch: paced(400) });
    const events = await Array.fromAsync(client.streamCall(CALL), ({ event }) => event);
    expect(events).toEqual(["start", "data", "done"]);
  });

  it("is over if there is none", async () => {
    const client = new OpenToolClient({ url: "https://tools.example", timeoutMs: 50, fetch: paced(60_000) });
    await expect(Array.fromAsync(client.streamCall(CALL))).rejects.toMatchObject({ reason: "timeout" });
  });
});

describe("the key, in what a server answers", () => {
  it.each<[string, () => Response]>([
    ["a message", () => Response.json(rpc({ error: { code: 1, message: `Bearer ${KEY} is wrong` } }))],
    ["data", () => Response.json(rpc({ error: { code: 1, message: "No", data: { headers: [{ sent: KEY }] } } }))],
    ["a text as error", () => Response.json({ error: `not ${KEY}` })],
    ["an error without a message", () => Response.json({ error: { why: KEY } })],
    ["another status", () => Response.json(rpc({ error: { message: KEY } }), { status: 403 })],
    ["a page", () => new Response(`<p>${KEY}</p>`)],
    ["401", () => new Response(KEY, { status: 401 })],
    ["404", () => new Response(KEY, { status: 404 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: `https://x.example/?key=${KEY}` } })],
  ])("%s: is not shown", async (_, answer) => {
    const { client } = served(answer());
    const error = await client.call(CALL).catch((error) => error);
    expect(error).toBeInstanceOf(Error);
    const shown = [
      error.message,
      JSON.stringify(error.toJson()),
      JSON.stringify(error.data ?? ""),
      String(error.cause),
    ];
    expect(shown.join()).not.toContain(KEY);
    expect(shown.join()).toMatch(/redacted|API Key/);
  });

  it("an error event: is not shown", async () => {
    const { client } = served(streamed(event("error", rpc({ error: { message: `not ${KEY}` } }))));
    await expect(Array.fromAsync(client.streamCall(CALL))).rejects.toThrow("not [redacted]");
  });

  it("a result is the caller's own", async () => {
    const { client } = served(Response.json(rpc({ result: { value: KEY } })));
    expect((await client.call(CALL)).result).toEqual({ value: KEY });
  });
});
