/** Some serializers send absent optional members as null. Null counts as absent in every protocol. */
import { describe, expect, it } from "vitest";
import { handshake, mcp, request } from "../support/mcp.ts";
import { modern } from "../support/modern-client.ts";
import { postRpc } from "../support/opentool.ts";
import { call, completed, postCall } from "../support/oxp.ts";

describe("OXP", () => {
  const ADD = { tool_id: "Math.Add", input: { a: 1, b: 2 } };

  it("a call with all of CallToolRequest's optional members null", async () => {
    const nulls = { call_id: null, trace_id: null, context: null, inputs: null, user_id: null };
    const { status, body } = await postCall({ $schema: null, request: { ...ADD, ...nulls } });
    expect([status, body.result?.value]).toEqual([200, 3]);
    // "If not provided, the server will generate one."
    expect(body.result.call_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("a context with all of its members null", async () => {
    const context = { authorization: null, secrets: null, user_id: null, attachments: null };
    expect(await completed("Math.Add", ADD.input, { context })).toBe(3);
  });

  it("input of null: no input, or that of `inputs` if there is one", async () => {
    expect((await postCall({ request: { tool_id: "Versions.Number", input: null } })).status).toBe(200);
    const { body } = await postCall({ request: { tool_id: "Math.Add", input: null, inputs: { a: 1, b: 2 } } });
    expect(body.result?.value).toBe(3);
  });

  it("two calls whose call_id is null are two calls", async () => {
    const name = crypto.randomUUID();
    const bump = () => completed("Counter.Bump", { name }, { call_id: null });
    expect([await bump(), await bump()]).toEqual([1, 2]);
  });

  it.each(["tool_id", "request"])("what is required stays required: %s of null is a 400", async (member) => {
    const body = member === "request" ? { request: null } : { request: { ...ADD, tool_id: null } };
    expect((await postCall(body)).status).toBe(400);
  });

  it("an entry's required members stay required", async () => {
    const context = { secrets: [{ id: "API_KEY", value: null }] };
    expect((await call("Math.Add", ADD.input, { context })).status).toBe(400);
  });
});

describe("OpenTool", () => {
  it("params and context of null", async () => {
    const { body } = await postRpc({ jsonrpc: "2.0", id: 1, method: "Versions_Number", params: null, context: null });
    expect(body.error).toBeNull();
  });
});

// Models fill in what they need not send.
describe("an empty session or task_id", () => {
  const input = { a: 1, b: 2, session: "", task_id: "" };

  it("counts as no handle: a bare client's call starts a session", async () => {
    const { body } = await mcp(request("tools/call", { name: "Talk_Tally", arguments: { session: "" } }));
    expect(body.result).not.toHaveProperty("isError");
    expect(body.result._meta.session).toEqual(expect.any(String));
  });

  it("is not the tool's business over any protocol", async () => {
    expect(await completed("Math.Add", input)).toBe(3);
    const { body } = await postRpc({ jsonrpc: "2.0", id: 1, method: "Math_Add", params: input });
    expect(body.error).toBeNull();
    const { body: answer } = await mcp(request("tools/call", { name: "Math_Add", arguments: input }));
    expect(answer.result.structuredContent.value).toBe(3);
  });
});

describe("MCP", () => {
  it.each([
    ["tools/call", { name: "Versions_Number", arguments: null, _meta: null }],
    ["tools/call", { name: "Versions_Number", arguments: { idempotency_key: null, attachments: null } }],
    ["tools/call", { name: "Versions_Number", _meta: { progressToken: null, idempotency_key: null } }],
    ["tools/call", { name: "Versions_Number", inputResponses: null, requestState: null }],
    ["prompts/get", { name: "Talk_Ends", arguments: { how: "well", more: null }, _meta: null }],
    ["prompts/get", { name: "Talk_Greet", arguments: { name: "Ann", language: null } }],
    ["tools/list", { cursor: null, _meta: null }],
    ["prompts/list", { cursor: null }],
    ["resources/list", { cursor: null }],
    ["resources/templates/list", { cursor: null }],
    ["tools/list", null],
  ])("%s %j in a session", async (method, params) => {
    const { status, body } = await mcp(request(method, params), await handshake());
    expect([status, body.error]).toEqual([200, undefined]);
  });

  it.each([
    ["tools/call", { name: "Versions_Number", arguments: null }, {}],
    ["tools/call", { name: "Versions_Number", inputResponses: null, requestState: null }, {}],
    ["tools/call", { name: "Talk_Tally", arguments: { session: null } }, {}],
    ["tools/call", { name: "Talk_Tally", arguments: { session: "" } }, {}],
    ["tools/call", { name: "Versions_Number" }, { "io.modelcontextprotocol/logLevel": null, progressToken: null }],
    ["prompts/get", { name: "Talk_Greet", arguments: { name: "Ann", language: null } }, {}],
    ["tools/list", { cursor: null }, {}],
  ])("%s %j with the metadata %j in 2026-07-28", async (method, params, meta) => {
    const { status, body } = await modern(method, params, { meta });
    expect([status, body.error, body.result?.isError]).toEqual([200, undefined, undefined]);
  });

  it("a required argument of a prompt that is null is missing", async () => {
    const { body } = await mcp(request("prompts/get", { name: "Talk_Greet", arguments: { name: null } }));
    expect(body.error.code).toBe(-32602);
    expect(body.error.message).toContain("name");
  });

  it("a version of null counts as no version: the request counts as one without a handshake", async () => {
    const params = { _meta: { "io.modelcontextprotocol/protocolVersion": null } };
    expect((await mcp(request("tools/list", params))).body.result.tools).toBeInstanceOf(Array);
  });

  it("a response with a request's members null is a response", async () => {
    const answer = { jsonrpc: "2.0", id: "ask-1", method: null, params: null, result: {}, error: null };
    expect((await mcp(answer, await handshake())).status).toBe(202);
  });

  it("an id of null is invalid, and does not make a notification (MCP, basic/index, Requests)", async () => {
    const { status, body } = await mcp({ jsonrpc: "2.0", id: null, method: "ping" });
    expect([status, body.error.code]).toEqual([400, -32600]);
  });
});
