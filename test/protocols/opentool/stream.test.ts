/** OpenTool's event stream as the published Dart client parses it: with one expression, on the raw text. */
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { HOST, post } from "../../support/http.ts";
import { eventsOf } from "../../support/opentool.ts";

const stream = (method: string, params: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ jsonrpc: "2.0", id: "s", method, params }),
});

const CALLS: [string, string, unknown][] = [
  ["a result", "Math_Add", { a: 1, b: 2 }],
  ["an error", "Failing_Doorbell", { doorbell_id: "x" }],
  ["an error whose text has line ends", "line\nbreak\r\n", {}],
  // ECMAScript and Dart agree: `.` is any character but \n, \r, U+2028 and U+2029.
  ["line separators of Unicode in a result", "Echo_Any", { value: "a\u2028b\u2029c\r\n\r\nevent:data\ndata:{}\n\n" }],
  ["line separators of Unicode in the name", "a\u2028b\u2029c", {}],
  ["the line end of Unicode's control characters", "Echo_Any", { value: "a\u0085b" }],
  ["letters of several bytes", "Echo_Any", { value: "äö😀" }],
];

describe.each(CALLS)("POST /opentool/streamCall, %s", (_, method, params) => {
  it("the Dart client sees every event, and nothing else", async () => {
    const { text } = await post("/opentool/streamCall", JSON.parse(stream(method, params).body));
    // Python's `splitlines` ends a line at each of these.
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    const events = eventsOf(text);
    expect(events.map(({ event }) => event)).toEqual(["start", expect.stringMatching(/^(data|error)$/), "done"]);
    expect(events[0]?.data).toEqual({ start: method });
    if (events[1]?.event === "data" && method === "Echo_Any") {
      expect(events[1].data.result).toEqual(params);
    }
  });

  it("each chunk of the body is whole events: that client does not join chunks", async () => {
    const response = await exports.default.fetch(`${HOST}/opentool/streamCall`, stream(method, params));
    const pieces: string[] = [];
    for await (const piece of response.body ?? []) pieces.push(new TextDecoder().decode(piece));
    expect(pieces.flatMap((piece) => eventsOf(piece)).map(({ event }) => event)).toHaveLength(3);
  });

  it("a reader that joins chunks sees the same, however the network splits them", async () => {
    const response = await exports.default.fetch(`${HOST}/opentool/streamCall`, stream(method, params));
    const bytes = await response.bytes();
    const whole = eventsOf(new TextDecoder().decode(bytes));
    for (const size of [1, 2, 3, 7, 64]) {
      const decoder = new TextDecoder();
      let text = "";
      for (let at = 0; at < bytes.length; at += size) {
        text += decoder.decode(bytes.subarray(at, at + size), { stream: true });
      }
      expect(eventsOf(text)).toEqual(whole);
    }
  });
});

it.each([false, true])("a result of 10 MB arrives, followed by the end (later: %s)", async (later) => {
  const call = (length: number) =>
    post("/opentool/streamCall", { jsonrpc: "2.0", id: "s", method: "Outputs_Long", params: { length, later } });
  // The first call of a tool waits until its module is loaded.
  await call(1);
  const { status, text } = await call(10_000_000);
  expect(status).toBe(200);
  const events = eventsOf(text);
  expect(events.map(({ event }) => event)).toEqual(["start", "data", "done"]);
  expect(events[1]?.data.result.value).toHaveLength(10_000_000);
});

it("MCP's streams keep the space after the colon, as all other clients expect it", async () => {
  const params = { name: "Talk_Report", arguments: { steps: [{ progress: 1 }] }, _meta: { progressToken: "p" } };
  const { text } = await post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18" },
  );
  expect(text).toMatch(/^data: \{/m);
  expect(text).not.toMatch(/^data:\{/m);
});
