/** 2026-07-28: discovery, methods, results. Headers, streams and questions have separate test files. */
import { describe, expect, it } from "vitest";
import { mcp } from "../../../support/mcp.ts";
import { callModern, META, modern, modernRequest, VERSION } from "../../../support/modern-client.ts";

const SERVER = { [`${META}serverInfo`]: { name: "trivet", version: "1.0.0" } };
const SUPPORTED = [VERSION, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

describe("server/discover (server/discover, Response)", () => {
  it("returns versions, capabilities and server information", async () => {
    const { status, headers, body } = await modern("server/discover", {}, { id: "discover-1" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.has("mcp-session-id")).toBe(false);
    expect(body).toEqual({
      jsonrpc: "2.0",
      id: "discover-1",
      result: {
        resultType: "complete",
        supportedVersions: SUPPORTED,
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          completions: {},
          logging: {},
        },
        ttlMs: expect.any(Number),
        cacheScope: "private",
        _meta: SERVER,
      },
    });
  });

  it("is served to a client without clientInfo (basic/index, _meta: it is optional)", async () => {
    expect((await modern("server/discover")).status).toBe(200);
  });
});

const CACHEABLE: [string, Record<string, unknown>][] = [
  ["server/discover", {}],
  ["tools/list", {}],
  ["prompts/list", {}],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "talk://news" }],
];
const OTHERS: [string, Record<string, unknown>][] = [
  ["tools/call", { name: "Math_Add", arguments: { a: 1, b: 2 } }],
  ["tools/call", { name: "Failing_Faults", arguments: { how: "plain" } }],
  ["tools/call", { name: "Talk_Show" }],
  ["prompts/get", { name: "Talk_Greet", arguments: { name: "Ann" } }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "Talk_Greet" }, argument: { name: "language", value: "" } },
  ],
];

describe("every result", () => {
  it.each([...CACHEABLE, ...OTHERS])(
    "of %s %j says what it is and who made it (basic/index, ResultType; _meta)",
    async (method, params) => {
      const { status, body } = await modern(method, params);
      expect(status).toBe(200);
      expect(body).toMatchObject({ jsonrpc: "2.0", id: 1, result: { resultType: "complete", _meta: SERVER } });
      // server/discover has no body of its own for them, nor has any other result.
      for (const member of ["protocolVersion", "serverInfo"]) expect(body.result).not.toHaveProperty(member);
    },
  );

  it.each(CACHEABLE)(
    "of %s says how long it may be kept (server/utilities/caching, Cacheable Results)",
    async (method, params) => {
      const { ttlMs, cacheScope } = (await modern(method, params)).body.result;
      expect(Number.isInteger(ttlMs) && ttlMs >= 0).toBe(true);
      expect(["public", "private"]).toContain(cacheScope);
    },
  );

  it.each(OTHERS)("of %s %j has none, as it must not be cached (the same list)", async (method, params) => {
    const { result } = (await modern(method, params)).body;
    for (const member of ["ttlMs", "cacheScope"]) expect(result).not.toHaveProperty(member);
  });

  it("keeps what a tool adds to _meta (basic/index, _meta)", async () => {
    const { result } = (await callModern("Talk_Show")).body;
    expect(result._meta).toEqual({ ...SERVER, "com.example/took": 5 });
  });
});

describe("methods", () => {
  it.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "notifications/initialized",
    "sampling/createMessage",
    "elicitation/create",
    "roots/list",
    "tasks/get",
    "events/list",
    "unknown/method",
    "TOOLS/LIST",
    "constructor",
    "",
  ])("%j does not exist: 404 and -32601 (Streamable HTTP, Protocol Version Header)", async (method) => {
    // Without a value no header could repeat it.
    const { status, body } = await modern(method, { uri: "talk://news", level: "info" });
    if (method === "") expect([status, body.error.code]).toEqual([400, -32020]);
    else expect([status, body.id, body.error.code]).toEqual([404, 1, -32601]);
  });

  it.each(["protocolVersion", "clientCapabilities"])(
    "want _meta's %s: 400 and -32602 (basic/index, _meta)",
    async (field) => {
      const { status, body } = await modern("tools/list", {}, { id: "a", meta: { [`${META}${field}`]: undefined } });
      expect([status, body.id, body.error.code]).toEqual([400, "a", -32602]);
    },
  );

  it("require params with _meta", async () => {
    const { headers } = modernRequest("server/discover");
    const { status, body } = await mcp({ jsonrpc: "2.0", id: 1, method: "server/discover" }, headers);
    expect([status, body.error.code]).toEqual([400, -32602]);
  });

  it("require a supported version: otherwise 400 and -32022 with the supported ones (basic/versioning)", async () => {
    const requested = "v999.0.0";
    const meta = { [`${META}protocolVersion`]: requested };
    const { status, body } = await modern("tools/list", {}, { meta, headers: { "mcp-protocol-version": requested } });
    expect([status, body.error.code, body.error.data]).toEqual([400, -32022, { supported: SUPPORTED, requested }]);
  });

  it.each([
    ["no Mcp-Method", { "mcp-method": "" }],
    ["another Mcp-Method", { "mcp-method": "tools/list" }],
    ["no Mcp-Name", { "mcp-name": "" }],
    ["another Mcp-Name", { "mcp-name": "Math_Sub" }],
    ["no version", { "mcp-protocol-version": "" }],
    ["another version", { "mcp-protocol-version": "2025-11-25" }],
  ])("are refused with %s: 400 and -32020 (Streamable HTTP, Server Validation)", async (_, headers) => {
    const { status, body } = await callModern("Math_Add", { a: 1, b: 2 }, { id: 7, headers });
    expect([status, body.id, body.error.code]).toEqual([400, 7, -32020]);
    expect(body.error.message).toContain("header");
  });

  it("come one at a time (Streamable HTTP, Sending Messages: a single request or notification)", async () => {
    const { message, headers } = modernRequest("tools/list");
    const { status, body } = await mcp([message, message], headers);
    expect([status, body.error.code]).toEqual([400, -32600]);
  });

  it("ignore a session id and Last-Event-ID, and issue none (Earlier Streamable HTTP Revisions)", async () => {
    const headers = { "mcp-session-id": "not one of ours", "last-event-id": "x-1" };
    const answer = await callModern("Talk_Count", {}, { headers });
    expect(answer.body.result.structuredContent).toBe(-1);
    expect(answer.headers.has("mcp-session-id")).toBe(false);
  });

  it.each([
    ["a notification", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }],
    ["an unknown notification", { jsonrpc: "2.0", method: "notifications/whatever" }],
  ])("accept %s with 202 and no body (Sending Messages, 5)", async (_, message) => {
    const { status, body } = await mcp(message, { "mcp-protocol-version": VERSION });
    expect([status, body]).toEqual([202, undefined]);
  });

  it.each([
    ["an id of null", null],
    ["an id that is not an integer", 1.5],
    ["an id that is an object", {}],
  ])("refuse %s (basic/index, Requests)", async (_, id) => {
    const { status, body } = await modern("tools/list", {}, { id });
    expect([status, body.error.code]).toEqual([400, -32600]);
  });
});

describe("tools/call", () => {
  it.each([
    ["object", { a: 1 }],
    ["list", [1, 2]],
    ["text", "text"],
    ["number", 1.5],
    ["boolean", false],
    ["null", null],
  ])("has any JSON as structured content: %s (server/tools, Structured Content)", async (kind, value) => {
    const { result } = (await callModern("Outputs_Any", { kind })).body;
    expect(result.structuredContent).toEqual(value);
    // "SHOULD also return the serialized JSON in a TextContent block".
    expect(result.content).toEqual([{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }]);
    expect(result).not.toHaveProperty("isError");
  });

  it("has no structured content if a tool returns nothing", async () => {
    const { result } = (await callModern("Outputs_Nothing")).body;
    expect(result).not.toHaveProperty("structuredContent");
    expect(result.content).toHaveLength(1);
  });

  it.each([
    ["a fault", "Failing_Faults", { how: "plain" }, "No such thing", { can_retry: false }],
    [
      "a fault that may pass",
      "Failing_Faults",
      { how: "wait" },
      "Busy (try again in 1200 ms)",
      { can_retry: true, retry_after_ms: 1200 },
    ],
    [
      "a timeout",
      "Counter_Bump",
      { name: "t", ending: "timeout" },
      "longer than 50 ms (try again)",
      { can_retry: true },
    ],
    // SEP-1303, since 2025-11-25.
    [
      "wrong arguments",
      "Math_Add",
      { a: 1, b: "x" },
      "Invalid arguments: b: Must be a number",
      { can_retry: false, parameter_errors: { b: "Must be a number" } },
    ],
    ["a missing secret", "Counter_Needy", { name: "t" }, "COUNTER_KEY", { can_retry: false }],
  ])(
    "answers %s with isError, for the model to read (server/tools, Error Handling)",
    async (_, tool, args, text, hints) => {
      const { status, body } = await callModern(tool, args);
      expect(status).toBe(200);
      expect(body.result).toMatchObject({ resultType: "complete", isError: true, _meta: { ...SERVER, ...hints } });
      expect(body.result.content[0].text).toContain(text);
      expect(body.result).not.toHaveProperty("structuredContent");
    },
  );

  it.each([
    ["an unknown tool", { name: "No_Such", arguments: {} }],
    ["a tool of another toolkit", { name: "Math_Add", arguments: {} }],
    ["no name", { arguments: {} }],
    ["arguments that are no object", { name: "Talk_Count", arguments: [] }],
  ])("answers %s with -32602 (server/tools, Error Handling)", async (_, params) => {
    expect((await modern("tools/call", params, { path: "/talk/mcp" })).body.error.code).toBe(-32602);
  });

  it("needs no arguments (the schema: arguments is optional)", async () => {
    expect((await modern("tools/call", { name: "Talk_Count" })).body.result.structuredContent).toBe(-1);
  });

  it("replays a result under its idempotency key", async () => {
    const args = { name: crypto.randomUUID(), idempotency_key: crypto.randomUUID() };
    const first = (await callModern("Counter_Bump", args)).body.result;
    const again = (await callModern("Counter_Bump", args)).body.result;
    expect([first.structuredContent, again.structuredContent]).toEqual([1, 1]);
    expect(again._meta).toEqual({ ...SERVER, replayed: true });
    const other = await callModern("Counter_Bump", { ...args, more: 1 });
    expect(other.body.error.code).toBe(-32602);
  });
});
