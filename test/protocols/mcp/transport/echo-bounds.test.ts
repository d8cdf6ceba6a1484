/** Values that a caller chooses and each message repeats are short, and unread output is not kept forever. */
import { describe, expect, it } from "vitest";
import { BOTH, handshake, mcp, postMcp, request, streamed } from "../../../support/mcp.ts";
import { modern, modernRequest, postModern } from "../../../support/modern-client.ts";
import { streamOf } from "../../../support/sse.ts";

const LONGEST = "i".repeat(255);
const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ progress: index + 1 }));
const report = (args: object, id: unknown, progressToken: unknown) =>
  request("tools/call", { name: "Talk_Report", arguments: args, _meta: { progressToken } }, id);

describe("a request id, which every event repeats", () => {
  it("is refused over 255 characters, by each era", async () => {
    const long = `${LONGEST}i`;
    const answers = [
      await mcp(request("ping", {}, long)),
      await mcp(request("ping", {}, long), await handshake()),
      await modern("tools/list", {}, { id: long }),
      await modern("subscriptions/listen", { notifications: {} }, { id: long }),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([400, { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } }]);
    }
    expect((await mcp(request("ping", {}, LONGEST))).body).toEqual({ jsonrpc: "2.0", id: LONGEST, result: {} });
  });

  it("is refused in a batch for its own message only", async () => {
    const headers = { "mcp-protocol-version": "2025-03-26" };
    const { body } = await mcp([request("ping", {}, `${LONGEST}i`), request("ping", {}, 2)], headers);
    expect(body).toEqual([
      { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
  });
});

describe("a progress token", () => {
  it("of over 255 characters gets no progress, and the call its result", async () => {
    const headers = { ...BOTH, ...(await handshake()) };
    const response = await postMcp(report({ steps: steps(100) }, "r", `${LONGEST}i`), headers);
    expect(await response.json()).toMatchObject({ id: "r", result: { structuredContent: { value: "100 steps" } } });
  });

  it("of 255 characters gets all of it", async () => {
    const stream = await streamed(report({ steps: steps(3) }, "r", LONGEST), await handshake("2025-06-18"));
    const events = await stream.rest();
    expect(events.map(({ data }) => data.params?.progressToken ?? data.id)).toEqual([LONGEST, LONGEST, LONGEST, "r"]);
  });
});

describe("a client that does not read while 8 MB are sent to it", () => {
  const message = "m".repeat(64_000);
  const MANY = {
    steps: [
      { progress: 1, message },
      { level: "error", data: message },
    ],
    rounds: 64,
  };
  const size = (events: unknown[]) => JSON.stringify(events).length;

  it("gets the first messages, and the result", async () => {
    const meta = { progressToken: "t", "io.modelcontextprotocol/logLevel": "debug" };
    const { message, headers } = modernRequest("tools/call", { name: "Talk_Report", arguments: MANY }, { meta });
    const response = await postMcp(message, { ...BOTH, ...headers });
    const events = await streamOf(response).rest();
    expect(events[0]?.data.params.progress).toBe(1);
    expect(events.at(-1)?.data.result.structuredContent).toBe("2 steps");
    expect(size(events)).toBeLessThan(2_000_000);
  });

  it("gets the first messages, and the result, in a session", async () => {
    const session = await handshake();
    const stream = await streamed(report(MANY, "r", "t"), session);
    const events = await stream.rest();
    expect(events[1]?.data.params.progress).toBe(1);
    expect(events.at(-1)?.data.id).toBe("r");
    expect(size(events)).toBeLessThan(2_000_000);
  });

  it("misses nothing of a short output", async () => {
    const meta = { progressToken: "t" };
    const response = await postModern(
      "tools/call",
      { name: "Talk_Report", arguments: { steps: steps(1_000) } },
      { meta },
    );
    expect(await streamOf(response).rest()).toHaveLength(1_001);
  });
});

it("a completion whose reference has a name that is not a string is answered, not a server error", async () => {
  const name = { toString: 1, valueOf: 1 };
  const ref = { type: "ref/resource", uri: "talk://people/{person}/pets/{pet}.json", name };
  const { status, body } = await mcp(
    request("completion/complete", { ref, argument: { name: "pet", value: "p" }, context: { arguments: {} } }),
  );
  expect([status, body.result.completion.values]).toEqual([200, ["pony of somebody"]]);
  const unknown = { ref: { ...ref, uri: "x" }, argument: { name: "pet", value: "p" } };
  expect((await mcp(request("completion/complete", unknown))).body.error.code).toBe(-32602);
});
