/** Hostile input inside well-formed requests: names of members, depth, sizes, spellings. */
import { describe, expect, it } from "vitest";
import { post } from "../support/http.ts";
import { nested } from "../support/nested.ts";
import { postRpc, rpc } from "../support/opentool.ts";
import { call, completed, postCall } from "../support/oxp.ts";

const polluted = () => ({}) as Record<string, unknown>;

describe("names that every object inherits", () => {
  it("are parameters like any other", async () => {
    const input = { constructor: "a", prototype: "b", toString: "c" };
    expect(await completed("Echo.Names", input)).toMatchObject(input);
    expect((await rpc("Echo_Names", input)).body.result).toMatchObject(input);
  });

  it("are absent when they are not sent", async () => {
    expect(await completed("Echo.Names", {})).toEqual({ ownMembers: [] });
    expect((await rpc("Echo_Names", {})).body.result).toEqual({ ownMembers: [] });
  });

  it.each(["__proto__", "constructor", "prototype"])("%s with an object pollutes nothing", async (name) => {
    const poison = `{"${name}":{"polluted":true,"a":1,"b":2}}`;
    for (const input of [poison, `{"loose":${poison}}`, `{"value":${poison}}`, `{"value":[{"x":${poison}}]}`]) {
      for (const tool of ["Math.Add", "Echo.Names", "Echo.Any", "Needs.Nothing"]) {
        const oxp = await postCall(`{"request":{"tool_id":"${tool}","input":${input},"context":${poison}}}`);
        expect([200, 422]).toContain(oxp.status);
        const opentool = await postRpc(`{"jsonrpc":"2.0","method":"${tool}","params":${input},"id":${poison}}`);
        expect(opentool.status).toBe(200);
        const mcp = await post(
          "/mcp",
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool.replace(".", "_")}","arguments":${input}}}`,
        );
        expect(mcp.status).toBe(200);
      }
    }
    expect(polluted().polluted).toBeUndefined();
    expect(polluted().a).toBeUndefined();
  });

  it("required parameters are not satisfied by a prototype in the input", async () => {
    const { status, body } = await postCall('{"request":{"tool_id":"Math.Add","input":{"__proto__":{"a":1,"b":2}}}}');
    expect(status).toBe(422);
    expect(Object.keys(body.parameter_errors)).toEqual(["a", "b"]);
  });

  it("distinguish the inputs of calls with an idempotency key", async () => {
    const call_id = crypto.randomUUID();
    const body = (value: number) =>
      `{"request":{"tool_id":"Echo.Any","call_id":"${call_id}","input":{"value":{"__proto__":${value}}}}}`;
    const first = await postCall(body(1));
    expect(first.text).toContain('{"__proto__":1}');
    expect((await postCall(body(1))).text).toBe(first.text);
    expect((await postCall(body(2))).status).toBe(400);
  });
});

describe("params of MCP that are no object", () => {
  const METHODS = ["ping", "tools/list", "tools/call", "initialize", "resources/read", "logging/setLevel"];

  // JSON-RPC 2.0, section 5.1: -32602 is "Invalid method parameter(s)". In MCP's schemas, `params` is an object.
  it.each(['"x"', "7", "true", "[]", '[{"name":"Math_Add"}]'])("%s: -32602 from every method", async (params) => {
    for (const method of METHODS) {
      const text = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params}}`;
      const refused = { jsonrpc: "2.0", id: 7, error: { code: -32602, message: "params must be an object" } };
      for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }, { "mcp-protocol-version": "2025-11-25" }]) {
        const mcp = await post("/mcp", text, headers as Record<string, string>);
        expect([mcp.status, mcp.body]).toEqual([200, refused]);
      }
      expect((await post("/mcp", `[${text}]`)).body).toEqual([method === "initialize" ? expect.anything() : refused]);
      // Versioning: a request that lacks the metadata required by its own version is malformed (400).
      const modern = await post("/mcp", text, { "mcp-protocol-version": "2026-07-28", "mcp-method": method });
      const error = { code: -32602, message: expect.stringMatching(/^params/) };
      expect([modern.status, modern.body]).toEqual([400, { jsonrpc: "2.0", id: 7, error }]);
    }
  });

  it("null is none, as some serializers write it", async () => {
    const mcp = await post("/mcp", '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}');
    expect([mcp.status, mcp.body]).toEqual([200, { jsonrpc: "2.0", id: 7, result: {} }]);
  });
});

describe("depth", () => {
  it("60 levels reach the tool, and come back", async () => {
    const value = JSON.parse(nested(60));
    expect(await completed("Echo.Any", { value }, { call_id: crypto.randomUUID() })).toEqual(value);
    expect((await rpc("Echo_Any", { value })).body.result).toEqual({ value });
  });

  // JSON-RPC 2.0, section 5.1: -32700 is "Invalid JSON", and this is JSON.
  it.each([64, 100, 150_000])("%i levels are refused: 400, and not as what cannot be parsed", async (levels) => {
    const limit = "The request body is nested over 64 levels deep";
    const oxp = await postCall(`{"request":{"tool_id":"Echo.Any","input":{"value":${nested(levels)}}}}`);
    expect([oxp.status, oxp.body.message]).toEqual([400, limit]);
    const opentool = await postRpc(`{"jsonrpc":"2.0","method":"Echo_Any","params":{"value":${nested(levels)}},"id":1}`);
    expect([opentool.status, opentool.body.error, opentool.body.id]).toEqual([400, { code: 400, message: limit }, 1]);
    for (const revision of [undefined, "2025-11-25", "2026-07-28"]) {
      const mcp = await post(
        "/mcp",
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Echo_Any","arguments":{"value":${nested(levels)}}}}`,
        revision === undefined ? {} : { "mcp-protocol-version": revision },
      );
      expect([mcp.status, mcp.body]).toEqual([400, { jsonrpc: "2.0", id: 1, error: { code: -32600, message: limit } }]);
    }
  });

  it("the error for a batch, or for something other than a message, has no id", async () => {
    for (const body of [`[{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(99)}}]`, nested(99)]) {
      const mcp = await post("/mcp", body);
      expect([mcp.status, mcp.body.id, mcp.body.error.code]).toEqual([400, undefined, -32600]);
      expect((await postRpc(body)).body.id).toBe(null);
    }
  });

  it("brackets inside a string do not count as depth", async () => {
    const value = "[".repeat(1000);
    expect(await completed("Echo.Any", { value })).toBe(value);
  });
});

describe("texts and numbers", () => {
  it.each([
    ["a lone surrogate", "\ud800"],
    ["a NUL", "\u0000"],
    ["line separators", "\u2028\u2029\r\n"],
    ["a byte order mark", "\ufeff"],
    ["a right-to-left mark", "\u202e"],
    ["closing tags", "</script>"],
    ["a long text", "x".repeat(500_000)],
  ])("%s comes back unchanged", async (_, value) => {
    expect(await completed("Echo.Any", { value })).toBe(value);
    expect((await rpc("Echo_Any", { value })).body.result).toEqual({ value });
  });

  describe.each([
    ["9007199254740993", "Is beyond ±9007199254740991, where whole numbers lose digits: send it as text"],
    ["-12345678901234567890", "Is beyond ±9007199254740991, where whole numbers lose digits: send it as text"],
    ["1e400", "Is too large for a number: send it as text"],
    [`1${"0".repeat(309)}`, "Is too large for a number: send it as text"],
  ])("%# is another number in JavaScript", (number, message) => {
    const input = `{"value":{"ids":[1,${number}]}}`;

    it("in an input: the caller's mistake, with its path, in each protocol's form", async () => {
      const oxp = await postCall(`{"request":{"tool_id":"Echo.Any","input":${input}}}`);
      expect(oxp.status).toBe(422);
      expect(oxp.body.parameter_errors).toEqual({ "value.ids.1": message });
      const opentool = await postRpc(`{"jsonrpc":"2.0","method":"Echo_Any","params":${input},"id":"1"}`);
      expect(opentool.body.error).toMatchObject({ code: 422, message: expect.stringContaining(message) });
      const params = `{"name":"Echo_Any","arguments":${input}}`;
      const mcp = await post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
      expect(mcp.body.error).toMatchObject({
        code: -32602,
        message: expect.stringContaining(`value.ids.1: ${message}`),
      });
    });

    it("in an input whose check is compiled", async () => {
      const { status, body } = await postCall(`{"request":{"tool_id":"Strict.Choices","input":{"codes":[${number}]}}}`);
      expect([status, body.parameter_errors]).toEqual([422, { "codes.0": message }]);
    });

    it("anywhere else: a malformed request", async () => {
      const oxp = await postCall(`{"request":{"tool_id":"Echo.Any","input":{},"context":{"x":${number}}}}`);
      expect([oxp.status, oxp.body.message]).toEqual([400, `request.context.x: ${message}`]);
      const opentool = await postRpc(`{"jsonrpc":"2.0","method":"Echo_Any","params":{},"id":${number}}`);
      expect(opentool.body.error).toMatchObject({ message: expect.stringContaining(`id: ${message}`) });
      const params = `{"name":"Echo_Any","arguments":{},"_meta":{"progressToken":${number}}}`;
      const mcp = await post("/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
      expect([mcp.status, mcp.body.error]).toMatchObject([
        400,
        { code: -32600, message: `params._meta.progressToken: ${message}` },
      ]);
    });
  });

  it("two orders whose numbers JavaScript takes for one never share a key's result", async () => {
    const order = (id: string) =>
      postCall(`{"request":{"call_id":"order-1","tool_id":"Echo.Any","input":{"value":${id}}}}`);
    expect((await order("1234567890123456058")).status).toBe(422);
    expect((await order("1234567890123456060")).status).toBe(422);
    expect((await order('"1234567890123456060"')).body.result.value).toBe("1234567890123456060");
  });

  it.each(["9007199254740991", "-9007199254740991", "0.1234567890123456789", "1e300", '"12345678901234567890"'])(
    "%s is taken",
    async (value) => {
      const { body } = await postCall(`{"request":{"tool_id":"Echo.Any","input":{"value":${value}}}}`);
      expect(body.result.value).toBe(JSON.parse(value));
    },
  );

  it("the largest number comes back unchanged", async () => {
    expect(await completed("Echo.Any", { value: -Number.MAX_VALUE })).toBe(-Number.MAX_VALUE);
  });

  it("the last of two members with one name counts (RFC 8259, section 4)", async () => {
    const { body } = await postCall('{"request":{"tool_id":"Math.Add","input":{"a":1,"b":1,"b":2}}}');
    expect(body.result.value).toBe(3);
  });

  it("50,000 unknown parameters are ignored", async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, 1]));
    expect(await completed("Math.Add", { ...many, a: 1, b: 2 })).toBe(3);
  });

  it("100,000 mistakes are an answer, not a crash", async () => {
    const { status, body } = await call("Echo.Order", { items: Array(100_000).fill(0) });
    expect(status).toBe(422);
    expect(body.parameter_errors.customer).toBe("Is required");
  });
});
