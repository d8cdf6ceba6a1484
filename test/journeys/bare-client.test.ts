/** The simplest MCP client: `tools/list` and `tools/call` without a handshake, Accept or version header. */
import { describe, expect, it } from "vitest";
import { call, mcp, request } from "../support/mcp.ts";

describe("a client without a handshake", () => {
  it("lists tools, as plain JSON", async () => {
    const { status, headers, body } = await mcp({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    const add = body.result.tools.find(({ name }: { name: string }) => name === "Math_Add");
    // A tool's required members: name, description, inputSchema.
    expect(add).toMatchObject({
      name: "Math_Add",
      description: "Adds two numbers.",
      inputSchema: { type: "object", required: ["a", "b"] },
    });
  });

  it("calls a tool", async () => {
    const { status, body } = await mcp({ ...call("Math_Add", { a: 10, b: 5 }), id: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "15" }] } });
    expect(body.result).not.toHaveProperty("isError");
  });

  it.each([
    ["curl's Accept", { accept: "*/*" }],
    ["both types", { accept: "application/json, text/event-stream" }],
    ["JSON only", { accept: "application/json" }],
  ])("answers plain JSON to %s", async (_, headers) => {
    const answer = await mcp(call("Math_Add", { a: 1, b: 1 }), headers);
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  it.each([
    // -32601 Tool not found, -32602 Invalid arguments, -32003 timeout.
    ["an unknown tool", call("No_Such"), -32601, "Unknown tool: No_Such"],
    ["a tool by its OXP id, which the message repeats", call("Math.Add"), -32601, "Unknown tool: Math.Add"],
    ["arguments of a wrong type", call("Math_Add", { a: 1, b: "infinity" }), -32602, "b: Must be a number"],
    ["missing arguments", call("Math_Add", {}), -32602, "a: Is required; b: Is required"],
    ["arguments that are no object", call("Math_Add", [1, 2]), -32602, "params.arguments"],
    ["a call without a name", request("tools/call", { arguments: {} }), -32602, "params.name"],
    ["a call without params", request("tools/call"), -32602, "params"],
    ["an unknown method", request("no/such"), -32601, "no/such"],
  ])("answers %s with its error code", async (_, message, code, text) => {
    const { status, body } = await mcp(message);
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code } });
    expect(body.error.message).toContain(text);
  });

  it.each([
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["an unknown notification", { jsonrpc: "2.0", method: "notifications/whatever", params: { deep: [1] } }],
    ["a response without a request", { jsonrpc: "2.0", id: 9, result: {} }],
  ])("accepts %s with 202 and no body (Streamable HTTP, Sending Messages)", async (_, message) => {
    const { status, body } = await mcp(message);
    expect([status, body]).toEqual([202, undefined]);
  });

  it.each([
    ["no JSON", "{", -32700],
    ["an empty body", "", -32700],
    ["a string", '"tools/list"', -32600],
    ["null", "null", -32600],
    ["no version", '{"id":1,"method":"ping"}', -32600],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ["an id of null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ["a broken id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ["a method that is not a string", '{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ["neither method nor result", '{"jsonrpc":"2.0","id":1}', -32600],
  ])("refuses %s with 400 (JSON-RPC 2.0, section 5.1)", async (_, text, code) => {
    const { status, body } = await mcp(text);
    expect(status).toBe(400);
    expect(body.error.code).toBe(code);
    // The schemas allow an id that is a string or a number, but not null.
    expect(body.id).not.toBeNull();
  });

  it("lists no tool of another toolkit on a toolkit's path", async () => {
    const listed = await mcp(request("tools/list"), {}, "/math/mcp");
    expect(listed.body.result.tools.map(({ name }: { name: string }) => name)).toContain("Math_Add");
    expect(JSON.stringify(listed.body)).not.toContain("Talk_Count");
    const called = await mcp(call("Talk_Count"), {}, "/math/mcp");
    expect(called.body.error).toEqual({ code: -32601, message: "Unknown tool: Talk_Count" });
  });
});

describe("idempotency", () => {
  it("removes the reserved arguments before the tool's schema is checked", async () => {
    const args = { a: 1, b: 2, idempotency_key: crypto.randomUUID(), attachments: [{ file_id: "file_abc123" }] };
    const { body } = await mcp(call("Math_Add", args));
    expect(body.result.content).toEqual([{ type: "text", text: "3" }]);
  });

  it("refuses the same key with other arguments, and marks a replay", async () => {
    const idempotency_key = crypto.randomUUID();
    const first = await mcp(call("Math_Add", { a: 1, b: 2, idempotency_key }));
    const again = await mcp(call("Math_Add", { b: 2, a: 1, idempotency_key }));
    expect(again.body.result.content).toEqual(first.body.result.content);
    expect(again.body.result._meta).toEqual({ replayed: true });
    const other = await mcp(call("Math_Add", { a: 1, b: 3, idempotency_key }));
    expect(other.body.error.code).toBe(-32602);
  });

  it.each([[""], [7], [null], ["\ud800"], ["k".repeat(256)]])("refuses the key %j", async (idempotency_key) => {
    const { body } = await mcp(call("Math_Add", { a: 1, b: 2, idempotency_key }));
    if (idempotency_key === null) expect(body.result).toBeDefined();
    else expect(body.error.code).toBe(-32602);
  });
});
