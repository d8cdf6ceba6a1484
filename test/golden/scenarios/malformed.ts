/** Requests with one thing wrong, each of which has a text of its own that says what. */
import type { Sent, Transcript } from "../transcript.ts";
import { BOTH, calls, initialize, JSON_ONLY, legacy, MODERN, message, modern } from "./mcp.ts";

type Case = readonly [name: string, method: string, params?: unknown];

const PROMPT = { type: "ref/prompt", name: "Talk_Greet" };
const MANY = Array.from({ length: 101 }, (_, at) => `talk://files/${at}`);

/** What is wrong in every revision. */
const WRONG: readonly Case[] = [
  ["a call without a name", "tools/call", {}],
  ["arguments that are a list", "tools/call", calls("Plain_Add", [1])],
  ["an empty key", "tools/call", calls("Plain_Point", { idempotency_key: "" })],
  ["attachments that are a text", "tools/call", calls("Papers_Take", { attachments: "x" })],
  ["two attachments without an id", "tools/call", calls("Papers_Take", { attachments: [{}, {}] })],
  ["a task_id that is a number", "tools/call", calls("Jobs_Work", { name: "x", task_id: 7 })],
  ["a task_id that is nonsense", "tools/call", calls("Jobs_Work", { name: "x", task_id: "nonsense" })],
  ["a cursor that is a number", "tools/list", { cursor: 7 }],
  ["a prompt without a name", "prompts/get", {}],
  ["a prompt with a list as arguments", "prompts/get", { name: "Talk_Greet", arguments: [] }],
  ["a prompt with a number as an argument", "prompts/get", { name: "Talk_Greet", arguments: { name: 7 } }],
  ["a resource without a URI", "resources/read", {}],
  ["a completion of nothing", "completion/complete", {}],
  [
    "a completion with other arguments that are none",
    "completion/complete",
    { ref: PROMPT, argument: { name: "language", value: "E" }, context: { arguments: { name: 7 } } },
  ],
  [
    "a completion of an unknown argument",
    "completion/complete",
    { ref: PROMPT, argument: { name: "nothing", value: "E" } },
  ],
];

const WRONG_MODERN: readonly Case[] = [
  ["listens to nothing", "subscriptions/listen", {}],
  ["listens to too much", "subscriptions/listen", { notifications: { resourceSubscriptions: MANY } }],
  ["responses that are a list", "tools/call", { ...calls("Talk_Ask", { what: "form" }), inputResponses: [] }],
  ["a state that is a number", "tools/call", { ...calls("Talk_Ask", { what: "form" }), requestState: 7 }],
  ["a task without an id", "tasks/get", {}],
  ["an update without an id", "tasks/update", {}],
  ["a cancellation without an id", "tasks/cancel", {}],
  ["an update of what is not there", "tasks/update", { taskId: "nonsense", inputResponses: {} }],
  ["an update with a list", "tasks/update", { taskId: "nonsense", inputResponses: [] }],
  ["a folder without a URI", "resources/directory/read", {}],
  ["a folder that is not there", "resources/directory/read", { uri: "skill://nowhere" }],
  ["a file that no skill has", "resources/read", { uri: "skill://notes/NOTHING.md" }],
];

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

export async function malformed(at: Transcript): Promise<void> {
  const session = await initialize(at, "2025-11-25");
  for (const [name, method, params] of WRONG) {
    await at.send(`2025-11-25: ${name}`, "/mcp", legacy(method, params as object, session));
    await at.send(`2026-07-28: ${name}`, "/mcp", modern(method, params as object));
  }
  for (const [name, method, params] of WRONG_MODERN) {
    await at.send(`2026-07-28: ${name}`, "/mcp", modern(method, params as object, TASKS));
  }
  const meta = async (name: string, members: object) =>
    at.send(`2026-07-28: ${name}`, "/mcp", modern("tools/call", calls("Plain_Point"), {}, {}, members));
  await meta("a level of the log that is none", { "io.modelcontextprotocol/logLevel": "loud" });
  await meta("a revision that is a number", { "io.modelcontextprotocol/protocolVersion": 7 });
  await meta("capabilities that are a list", { "io.modelcontextprotocol/clientCapabilities": [] });
  await meta("an empty key in _meta", { idempotency_key: "" });
  await meta("a token for progress that is an object", { progressToken: {} });
  await at.send("2026-07-28: no _meta", "/mcp", {
    body: message("tools/list", {}),
    headers: { ...BOTH, "mcp-protocol-version": MODERN, "mcp-method": "tools/list" },
  });
  await at.send("2026-07-28: no header of the method", "/mcp", {
    ...modern("tools/list"),
    headers: { ...BOTH, "mcp-protocol-version": MODERN },
  });
  await at.send("2026-07-28: a GET", "/mcp", { headers: { ...JSON_ONLY, "mcp-protocol-version": MODERN } });
  await at.send("2026-07-28: a DELETE", "/mcp", { method: "DELETE", headers: { "mcp-protocol-version": MODERN } });
  const say = (name: string, method: string, params?: object) =>
    at.send(`2025-11-25: ${name}`, "/mcp", legacy(method, params, session));
  await say("a revision that is a number", "initialize", { protocolVersion: 7 });
  await say("a level that is none", "logging/setLevel", { level: "loud" });
  await say("subscribes to a number", "resources/subscribe", { uri: 7 });
  await at.send("2025-11-25: ends no session", "/mcp", { method: "DELETE" });
  const old = await initialize(at, "2025-03-26");
  const batch = (name: string, body: unknown, headers: object = {}) =>
    at.send(`2025-03-26: a batch ${name}`, "/mcp", { body, headers: { ...BOTH, ...old, ...headers } });
  await batch("that initializes", [message("initialize", { protocolVersion: "2025-03-26" }), message("ping")]);
  await batch("with a key", [message("ping"), message("tools/list")], { "idempotency-key": "k" });
  await batch("of nonsense", [1, "x", null]);
  await batch(
    "that is too long",
    Array.from({ length: 101 }, () => message("ping")),
  );
}

export async function malformedCalls(at: Transcript): Promise<void> {
  const call = (request: object, more: object = {}): Sent => ({
    body: { request: { tool_id: "Plain.Point", input: {}, ...request }, ...more },
  });
  const long = "x".repeat(16_385);
  for (const [name, request] of [
    ["a trace that is a number", { trace_id: 7 }],
    ["a context that is a list", { context: [] }],
    ["a user that is a number", { context: { user_id: 7 } }],
    ["secrets that are an object", { context: { secrets: {} } }],
    ["a secret without a value", { context: { secrets: [{ id: "a" }] } }],
    ["an authorization without a token", { context: { authorization: [{ id: "a" }] } }],
    ["a secret that is too long", { context: { secrets: [{ id: "a", value: long }] } }],
    ["an empty id", { call_id: "" }],
    ["a tool that is no name", { tool_id: "Plain Point" }],
    ["a version that is none", { tool_id: "Plain.Point@x" }],
    ["too many attachments", { context: { attachments: MANY.map((file_id) => ({ file_id })) } }],
    ["a text as input", { input: "x" }],
  ] as const) {
    // Only the names of long texts are recorded, not the texts: a request's body is cut after 300 characters.
    const { body } = call(request);
    await at.send(`OXP: ${name}`, "/tools/call", { body: JSON.stringify(body) });
  }
  await at.send("OXP: another version of OXP", "/tools/call", call({}, { $schema: "urn:oxp:9.0" }));
  await at.send("OXP: a header with an empty key", "/tools/call", { ...call({}), headers: { "idempotency-key": "" } });
  await at.send("OXP: a header with a long key", "/tools/call", {
    ...call({}),
    headers: { "idempotency-key": "k".repeat(256) },
  });
  await at.send("OXP: bytes that are no UTF-8", "/tools/call", { body: new Uint8Array([0x22, 0xff, 0x22]) });
  await at.send("OXP: an encoding that is not there", "/tools/call", {
    ...call({}),
    headers: { "content-encoding": "br" },
  });
  const rpc = (more: object, headers: Record<string, string> = {}): Sent => ({
    body: { jsonrpc: "2.0", method: "Plain_Point", params: {}, id: "1", ...more },
    headers,
  });
  for (const path of ["/opentool/call", "/opentool/streamCall"]) {
    await at.send(`${path}: params that are a text`, path, rpc({ params: "x" }));
    await at.send(`${path}: no method`, path, rpc({ method: undefined }));
    await at.send(`${path}: a context that is a number`, path, rpc({ context: 7 }));
    await at.send(`${path}: attachments that are a text`, path, rpc({ context: { attachments: "x" } }));
    await at.send(`${path}: a callback that is a text`, path, rpc({ context: { callback: "x" } }));
    await at.send(`${path}: a long key`, path, rpc({}, { "idempotency-key": "k".repeat(256) }));
  }
  await at.send("a PUT at a path of tools", "/tools/call", { method: "PUT", body: "{}" });
  await at.send("a POST at /", "/", { body: {} });
  await at.send("a POST at a document", "/openapi.json", { body: {} });
}
