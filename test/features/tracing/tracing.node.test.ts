/** Spans of calls, as the runtime gives them to whoever receives a deployment's traces. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../support/node/build.ts";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { handshake, post, postJson } from "../../support/node/http.ts";
import { modern as askModern, callOpenTool, callOxp } from "../../support/node/long.ts";
import { runTraced, type Span, type Traced } from "../../support/node/traced.ts";

const ON = "\n[observability.traces]\nenabled = true\n";
const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/** Every span of a call has it, and none of the runtime's own. */
const IS_CALL = "mcp.method.name";

let fork: Fork;
let traced: Traced;
beforeAll(async () => {
  fork = makeFork("test/fixtures/traced");
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  fork.write("wrangler.toml", settings + ON);
  await build(fork);
  traced = await runTraced(fork);
});
afterAll(async () => {
  await traced?.stop();
  fork?.remove();
});

const oxp = (tool: string, input: object, context: object = {}, headers = {}) =>
  callOxp(traced.url, tool, input, { context }, headers);
const opentool = (method: string, params: object) => callOpenTool(traced.url, method, params);
const legacy = (method: string, params: object, headers: Record<string, string> = {}) =>
  postJson(`${traced.url}/mcp`, { jsonrpc: "2.0", id: 1, method, params }, headers);
const meta = { "io.modelcontextprotocol/clientInfo": { name: "agent", version: "2.0.0" } };
const modern = (method: string, params: object) => askModern(traced.url, method, params, { capabilities: {}, meta });

/** The spans of the calls that `work` makes. */
let seen = 0;
async function spansOf(count: number, work: () => Promise<unknown>): Promise<Span[]> {
  await work();
  const all = await traced.spans(seen + count, IS_CALL);
  const own = all.slice(seen);
  seen = all.length;
  return own;
}
const spanOf = async (work: () => Promise<unknown>) => (await spansOf(1, work))[0] as Span;

const ADA = { name: "Ada" };
const NOBODY = { name: " " };

describe("a span for each call (OpenTelemetry, Semantic conventions for MCP, Server)", () => {
  it.each<[string, () => Promise<unknown>, Record<string, unknown>]>([
    ["OXP", () => oxp("Hello.Greet", ADA), { "trivet.protocol": "oxp" }],
    ["OpenTool", () => opentool("Hello_Greet", ADA), { "trivet.protocol": "opentool" }],
    [
      "MCP without a handshake",
      () => legacy("tools/call", { name: "Hello_Greet", arguments: ADA }),
      { "trivet.protocol": "mcp" },
    ],
    [
      "MCP of 2026-07-28",
      () => modern("tools/call", { name: "Hello_Greet", arguments: ADA }),
      { "trivet.protocol": "mcp", "mcp.protocol.version": "2026-07-28", "trivet.client": "agent 2.0.0" },
    ],
    [
      "MCP of 2025-11-25",
      async () => legacy("tools/call", { name: "Hello_Greet", arguments: ADA }, await handshake(`${traced.url}/mcp`)),
      { "trivet.protocol": "mcp", "mcp.protocol.version": "2025-11-25", "trivet.client": "test 1" },
    ],
  ])("over %s", async (_, work, further) => {
    const span = await spanOf(work);
    expect([span.name, span.status]).toEqual(["tools/call Hello_Greet", undefined]);
    expect(span.attributes).toEqual({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "Hello_Greet",
      "network.protocol.name": "http",
      "network.transport": "tcp",
      "trivet.version": "1.0.0",
      "trivet.outcome": "completed",
      ...further,
    });
  });

  it("of a batch has one for each of its calls", async () => {
    const calls = [1, 2].map((id) => ({
      ...{ jsonrpc: "2.0", id, method: "tools/call", params: { name: "Hello_Greet", arguments: ADA } },
    }));
    const spans = await spansOf(2, () => postJson(`${traced.url}/mcp`, calls));
    expect(spans.map(({ name }) => name)).toEqual(["tools/call Hello_Greet", "tools/call Hello_Greet"]);
    expect(new Set(spans.map(({ trace }) => trace)).size).toBe(1);
  });

  it("over OpenTool's stream ends with the call, not with the first byte of the response", async () => {
    const body = { jsonrpc: "2.0", id: "1", method: "Hello_Wait", params: {} };
    const span = await spanOf(async () => (await post(`${traced.url}/opentool/streamCall`, body)).text());
    expect([span.name, span.status, span.attributes["trivet.outcome"]]).toEqual([
      "tools/call Hello_Wait",
      "error",
      "timed_out",
    ]);
  });

  it("is also there for prompts, resources and completions of MCP, without what the caller filled in", async () => {
    const ref = { type: "ref/prompt", name: "Hello_Write" };
    const prompt = await spanOf(() => modern("prompts/get", { name: "Hello_Write", arguments: { to: "Eve" } }));
    const resource = await spanOf(() => modern("resources/read", { uri: "hello://filled-in" }));
    const completion = await spanOf(() => modern("completion/complete", { ref, argument: { name: "to", value: "E" } }));
    expect([prompt, resource, completion].map(({ name, attributes }) => [name, attributes[IS_CALL]])).toEqual([
      ["prompts/get Hello_Write", "prompts/get"],
      ["resources/read", "resources/read"],
      ["completion/complete", "completion/complete"],
    ]);
    expect(prompt.attributes).toMatchObject({ "gen_ai.prompt.name": "Hello_Write" });
    for (const { attributes } of [prompt, resource, completion]) {
      expect(attributes).not.toHaveProperty(["gen_ai.operation.name"]);
      expect(attributes).not.toHaveProperty(["gen_ai.tool.name"]);
    }
  });

  it("contains what the call does: the runtime's own spans are below it", async () => {
    const session = await handshake(`${traced.url}/mcp`);
    const span = await spanOf(() => legacy("tools/call", { name: "Hello_Keep", arguments: {} }, session));
    const received = JSON.parse(traced.received()) as { spanContext: { spanId?: string }; event: { type: string } }[];
    const below = received.filter(
      ({ event, spanContext }) => event.type === "spanOpen" && spanContext.spanId === span.id,
    );
    expect(below.length).toBeGreaterThan(0);
  });

  it("names the caller's trace, because the runtime accepts no parent", async () => {
    const span = await spanOf(() => oxp("Hello.Greet", ADA, {}, { traceparent: PARENT }));
    expect(span.attributes["trivet.caller.trace_id"]).toBe("0af7651916cd43dd8448eb211c80319c");
  });
});

describe("a span's error", () => {
  const FAILED = { "error.type": "tool_error", "trivet.outcome": "failed" };
  const failing: [string, () => Promise<{ status: number }>, Record<string, unknown>][] = [
    ["OXP: the tool failed", () => oxp("Hello.Greet", NOBODY), FAILED],
    ["OpenTool: the tool failed", () => opentool("Hello_Greet", NOBODY), FAILED],
    ["MCP: the tool failed", () => modern("tools/call", { name: "Hello_Greet", arguments: NOBODY }), FAILED],
    [
      "MCP: the arguments are wrong",
      () => modern("tools/call", { name: "Hello_Greet", arguments: {} }),
      { "error.type": "tool_error", "trivet.outcome": "invalid" },
    ],
    [
      "MCP: a requirement is missing",
      () => modern("tools/call", { name: "Hello_Open", arguments: { door: "1" } }),
      { "error.type": "tool_error", "trivet.outcome": "refused", "trivet.reason": "requirements" },
    ],
    [
      "MCP without a handshake: it took too long",
      () => legacy("tools/call", { name: "Hello_Wait", arguments: {} }),
      { "error.type": "-32003", "rpc.response.status_code": "-32003", "trivet.outcome": "timed_out" },
    ],
    [
      "MCP: a resource failed",
      () => modern("resources/read", { uri: "hello://gone" }),
      { "error.type": "-32603", "rpc.response.status_code": "-32603", "trivet.outcome": "failed" },
    ],
  ];
  it.each(failing)("is marked although HTTP says 200. %s", async (_, work, expected) => {
    let status = 0;
    const span = await spanOf(async () => ({ status } = await work()));
    expect([status, span.status]).toEqual([200, "error"]);
    expect(span.attributes).toMatchObject(expected);
  });

  it.each<[string, () => Promise<unknown>, Record<string, unknown>]>([
    ["OXP", () => oxp("Hello.Invented", {}), {}],
    ["OpenTool", () => opentool("Hello_Invented", {}), {}],
    [
      "MCP",
      () => modern("tools/call", { name: "Hello_Invented", arguments: {} }),
      { "rpc.response.status_code": "-32602" },
    ],
  ])(
    "is not the server's if the caller asks for what there is not, and its name is not repeated. %s",
    async (_, work, more) => {
      const span = await spanOf(work);
      expect([span.name, span.status]).toEqual(["tools/call", undefined]);
      expect(span.attributes).toMatchObject({ "trivet.outcome": "refused", "trivet.reason": "unknown_tool", ...more });
      expect(span.attributes).not.toHaveProperty(["error.type"]);
      expect(JSON.stringify(span)).not.toContain("Invented");
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ["unknown_version", () => oxp("Hello.Greet@9", ADA)],
    [
      "conflict",
      async () => {
        const headers = { "idempotency-key": "used-twice" };
        await oxp("Hello.Greet", ADA, {}, headers);
        await oxp("Hello.Greet", { name: "Eve" }, {}, headers);
      },
    ],
  ])("is not the server's if the caller's own request cannot be served: %s", async (reason, work) => {
    const span = (await spansOf(reason === "conflict" ? 2 : 1, work)).at(-1) as Span;
    expect(span.status).toBeUndefined();
    expect(span.attributes).toMatchObject({ "trivet.outcome": "refused", "trivet.reason": reason });
    expect(span.attributes).not.toHaveProperty(["error.type"]);
  });
});

it("no span has an input, a result, a message, a secret or a session", async () => {
  const secret = { secrets: [{ id: "DOOR_KEY", value: "hidden-secret" }] };
  const session = await handshake(`${traced.url}/mcp`);
  const spans = await spansOf(3, async () => {
    await oxp("Hello.Open", { door: "hidden-input" }, secret);
    await oxp("Hello.Greet", { name: "hidden-input" });
    await legacy("tools/call", { name: "Hello_Keep", arguments: {} }, session);
  });
  expect(JSON.stringify(spans)).not.toMatch(/hidden|Hello, |kept/);
  expect(JSON.stringify(spans)).not.toContain(session["mcp-session-id"]);
});

it("without [observability.traces], nothing of this is in the bundle", async () => {
  const bundle = async () => {
    await build(fork);
    return readFileSync(join(fork.root, "dist/index.js"), "utf8");
  };
  expect(await bundle()).toContain("mcp.method.name");
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  fork.write("wrangler.toml", settings.replace(ON, ""));
  expect(await bundle()).not.toMatch(/mcp\.method\.name|enterSpan/);
  // One bundle for all environments.
  fork.write("wrangler.toml", `${settings.replace(ON, "")}\n[env.staging.observability.traces]\nenabled = true\n`);
  expect(await bundle()).toContain("mcp.method.name");
});
