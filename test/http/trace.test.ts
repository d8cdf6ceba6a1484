/** W3C trace context: from the request to the tool, and on to the tool's fetches (basic/index, `_meta`). */
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, mcp } from "../support/mcp.ts";
import { callModern } from "../support/modern-client.ts";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const OTHER = "00-11111111111111111111111111111111-2222222222222222-00";
const ALL = { traceparent: PARENT, tracestate: "a=1", baggage: "b=2" };
const URL = "https://example.com/";

/** The headers that the tool's fetch sent. */
function fetched(): Headers {
  const [input, init] = vi.mocked(fetch).mock.calls.at(-1) ?? [];
  return new Request(input as Request, init).headers;
}

afterEach(() => vi.restoreAllMocks());

describe("a call's trace", () => {
  it.each<[string, Record<string, unknown>, Record<string, string>, unknown]>([
    ["is absent if none was sent", {}, {}, null],
    [
      "comes from _meta",
      { traceparent: PARENT, tracestate: "a=1", baggage: "b=2" },
      {},
      {
        traceparent: PARENT,
        tracestate: "a=1",
        baggage: "b=2",
      },
    ],
    ["comes from headers", {}, { traceparent: PARENT, tracestate: "a=1" }, { traceparent: PARENT, tracestate: "a=1" }],
    // The request's `_meta` comes from the client; a header may come from a proxy.
    ["comes from _meta before headers", { traceparent: PARENT }, { traceparent: OTHER }, { traceparent: PARENT }],
    // "If the vendor failed to parse traceparent, it MUST NOT attempt to parse tracestate" (Trace Context, section 3.3).
    ["is absent if only a tracestate was sent", { tracestate: "a=1" }, {}, null],
    ["is absent if it is not a string", { traceparent: 7, baggage: null }, {}, null],
  ])("%s", async (_, meta, headers, trace) => {
    expect((await callModern("Talk_Trace", {}, { meta, headers })).body.result.structuredContent).toEqual({ trace });
  });

  it("reaches tools of clients without a handshake too", async () => {
    const { body } = await mcp(call("Talk_Trace"), { traceparent: PARENT });
    expect(body.result.structuredContent).toEqual({ trace: { traceparent: PARENT } });
  });

  it("is passed on with the tool's fetches, but a caller's baggage and tracestate go to no third party", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("fetched"));
    await callModern("Talk_Trace", { url: URL }, { meta: ALL });
    const sent = fetched();
    expect([sent.get("traceparent"), sent.get("tracestate"), sent.get("baggage")]).toEqual([PARENT, null, null]);
  });

  it('is passed on completely if the definition has trace: "all" (W3C Trace Context, section 3; W3C Baggage, section 3)', async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("fetched"));
    await callModern("Talk_TraceAll", { url: URL }, { meta: ALL });
    const sent = fetched();
    expect([sent.get("traceparent"), sent.get("tracestate"), sent.get("baggage")]).toEqual([PARENT, "a=1", "b=2"]);
  });

  it.each(["Talk_Trace", "Talk_TraceAll"])("adds no header if none was sent (%s)", async (tool) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("fetched"));
    await callModern(tool, { url: URL }, { meta: { baggage: "b=2" } });
    expect(fetched().get("traceparent")).toBeNull();
    expect(fetched().get("baggage")).toBe(tool === "Talk_TraceAll" ? "b=2" : null);
  });

  it("is replaced by one that the tool sets itself", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("fetched"));
    await callModern("Talk_Trace", { url: URL, own: OTHER }, { meta: { traceparent: PARENT } });
    expect(fetched().get("traceparent")).toBe(OTHER);
  });

  it.each(["error", "follow", "manual"])("does not fail a fetch whose redirect is %j", async (redirect) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("fetched"));
    const { body } = await callModern("Talk_Trace", { url: URL, redirect }, { meta: { traceparent: PARENT } });
    expect(body.result).not.toHaveProperty("isError");
    expect(fetched().get("traceparent")).toBe(PARENT);
  });

  it("does not change the `redirect` option: an error", async () => {
    const to = { status: 302, headers: { location: "https://example.org/" } };
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(null, to));
    const { body } = await callModern("Talk_Trace", { url: URL, redirect: "error" }, { meta: { traceparent: PARENT } });
    expect(body.result.isError).toBe(true);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("does not open addresses that tools may not fetch", async () => {
    const { body } = await callModern("Talk_Trace", { url: "http://127.0.0.1/" }, { meta: { traceparent: PARENT } });
    expect(body.result.isError).toBe(true);
  });

  it.each([["\u00fc"], ["a\nb"], ["a\u0000"]])(
    "with what no header can carry (%j) does not fail the tool",
    async (baggage) => {
      vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("fetched"));
      const { body } = await callModern("Talk_Trace", { url: URL }, { meta: { traceparent: PARENT, baggage } });
      expect(body.result).not.toHaveProperty("isError");
      expect(fetched().get("traceparent")).toBe(PARENT);
    },
  );
});
