/** OXP 1.0 on a deployment that everyone may call. */
import type { Transcript } from "../transcript.ts";

export const CALLS: readonly (readonly [name: string, tool: string, input: unknown, more?: object])[] = [
  ["completes with a number", "Plain.Add", { a: 1, b: 2.5 }],
  ["completes with an object", "Plain.Point", {}],
  [
    "completes with what it was given, and a default",
    "Plain.Order",
    { customer: { name: "Ada", mail: "a@b.example" }, items: [{ sku: "x", count: 2 }] },
  ],
  ["completes with nothing", "Plain.Nothing", {}],
  ["completes with blocks", "Plain.Show", {}],
  ["fails plainly", "Plain.Fail", { how: "plainly" }],
  ["fails with all fields", "Plain.Fail", { how: "with all fields" }],
  ["fails by an exception", "Plain.Fail", { how: "by an exception" }],
  ["fails by a text that is thrown", "Plain.Fail", { how: "by a text" }],
  ["returns what it does not promise", "Plain.Broken", {}],
  ["takes too long", "Plain.Slow", {}],
  ["cannot be loaded", "Plain.Unloadable", {}],
  [
    "has several wrong parameters",
    "Plain.Order",
    { customer: { name: "A", mail: "no" }, items: [{ sku: 1, count: 0.5 }], speed: "warp", more: 1 },
  ],
  ["has no parameters", "Plain.Add", {}],
  ["has a list as input", "Plain.Add", [1, 2]],
  ["has a text as a number", "Plain.Add", { a: "1", b: 2 }],
  ["is unknown", "Plain.Missing", {}],
  ["is of an unknown toolkit", "Nowhere.Add", {}],
  ["lacks its requirements", "Needs.Everything", {}],
  ["reports", "Talk.Say", {}],
  ["asks", "Talk.Ask", { what: "form" }],
  ["asks for a sample", "Talk.Ask", { what: "sample" }],
  ["has no session", "Talk.Tally", {}],
  ["needs a scope", "Vault.Open", {}],
];

const call = (tool_id: unknown, input: unknown, more: object = {}) => ({
  body: { request: { tool_id, input, ...more } },
});

export async function oxp(at: Transcript): Promise<void> {
  await at.send("health", "/health");
  await at.send("info", "/info");
  await at.send("tools", "/tools");
  await at.send("tools of a toolkit", "/plain/tools");
  await at.send("tools of a toolkit that is not there", "/nowhere/tools");
  const { headers } = await at.send("tools, as a HEAD request", "/tools", { method: "HEAD" });
  await at.send("tools that have not changed", "/tools", { headers: { "if-none-match": headers.get("etag") ?? "" } });
  for (const [name, tool, input] of CALLS) await at.send(name, "/tools/call", call(tool, input));
  await at.send("calls by the newest version", "/tools/call", call("Plain.Word", {}));
  await at.send("calls by an old version", "/tools/call", call("Plain.Word@1.0.0", {}));
  await at.send("calls by an unknown version", "/tools/call", call("Plain.Word@3.0.0", {}));
  await at.send("calls within a toolkit", "/plain/tools/call", call("Plain.Add", { a: 1, b: 1 }));
  await at.send(
    "calls another toolkit's tool within a toolkit",
    "/plain/tools/call",
    call("Count.Look", { name: "x" }),
  );
  await at.send("calls at the other path", "/call", call("Plain.Add", { a: 2, b: 1 }));
  await at.send("calls at the tool's own path", "/tools/call/Plain.Add", { body: { input: { a: 4, b: 1 } } });
  const context = {
    authorization: [{ id: "google", token: "a-token" }],
    secrets: [{ id: "API_KEY", value: "a-secret" }],
    user_id: "ada",
  };
  await at.send("has its requirements", "/tools/call", call("Needs.Everything", {}, { context }));
  await at.send(
    "has some of its requirements",
    "/tools/call",
    call("Needs.Everything", {}, { context: { user_id: "ada" } }),
  );
  await at.send("has a context that is none", "/tools/call", call("Plain.Add", { a: 1, b: 1 }, { context: 7 }));
  await at.send("has an id and a trace", "/tools/call", {
    ...call("Plain.Add", { a: 1, b: 1 }, { call_id: "oxp-traced", trace_id: "trace-1" }),
    headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
  });
  for (const [name, body] of [
    ["is no JSON", "{"],
    ["is empty", ""],
    ["is a list", "[]"],
    ["has no request", "{}"],
    ["has a request that is none", '{"request":1}'],
    ["has no tool", '{"request":{"input":{}}}'],
    ["has a number as its tool", '{"request":{"tool_id":7}}'],
    ["has a number as its id", '{"request":{"tool_id":"Plain.Add","input":{"a":1,"b":1},"call_id":7}}'],
    ["has a number that is too large", '{"request":{"tool_id":"Plain.Add","input":{"a":1e999,"b":1}}}'],
    ["is nested too deeply", `{"request":{"tool_id":"Plain.Add","input":${"[".repeat(80)}${"]".repeat(80)}}}`],
  ] as const) {
    await at.send(`a body that ${name}`, "/tools/call", { method: "POST", body });
  }
  await at.send("a body of another type", "/tools/call", { body: "a=1", headers: { "content-type": "text/plain" } });
  await at.send("a body that is too large", "/tools/call", { body: JSON.stringify({ x: "x".repeat(1_048_600) }) });
  await at.send("a GET of the path for calls", "/tools/call");
  await at.send("a path that is not there", "/nothing/here");
}
