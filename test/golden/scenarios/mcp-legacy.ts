/** MCP with sessions: 2024-11-05 to 2025-11-25. */
import type { Transcript } from "../transcript.ts";
import { BOTH, calls, initialize, JSON_ONLY, legacy, message, TOOL_CALLS } from "./mcp.ts";

const ASKED = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Everything that one revision has. */
export const mcpLegacy = (revision: string) =>
  async function era(at: Transcript): Promise<void> {
    const session = await initialize(at, revision);
    const say = (name: string, method: string, params?: object, headers: object = {}) =>
      at.send(name, "/mcp", legacy(method, params, { ...session, ...headers }));
    await say("ping", "ping");
    await say("tools", "tools/list");
    await say("prompts", "prompts/list");
    await say("resources", "resources/list");
    await say("templates", "resources/templates/list");
    for (const [name, tool, args] of TOOL_CALLS) await say(name, "tools/call", calls(tool, args));
    await say("keeps a session", "tools/call", calls("Talk_Tally"));
    await say("reports, with a token", "tools/call", calls("Talk_Say", {}, { progressToken: "p" }));
    await say("reports, without a token", "tools/call", calls("Talk_Say"));
    await say("gets a prompt", "prompts/get", { name: "Talk_Greet", arguments: { name: "Ada" } });
    await say("gets a prompt without what it needs", "prompts/get", { name: "Talk_Greet" });
    await say("gets an unknown prompt", "prompts/get", { name: "Talk_Nothing" });
    await say("reads a resource", "resources/read", { uri: "talk://news" });
    await say("reads one of a template", "resources/read", { uri: "talk://people/Ada/pets/Bo.json" });
    await say("reads one that is not there", "resources/read", { uri: "talk://people/Ada/pets/none.json" });
    await say("reads one that throws", "resources/read", { uri: "talk://people/Ada/pets/throw.json" });
    await say("reads a URI of no resource", "resources/read", { uri: "talk://nothing" });
    await say("completes an argument", "completion/complete", {
      ref: { type: "ref/prompt", name: "Talk_Greet" },
      argument: { name: "language", value: "E" },
    });
    await say("sets the level of the log", "logging/setLevel", { level: "warning" });
    await say("reports, at that level", "tools/call", calls("Talk_Say", {}, { progressToken: 7 }));
    await say("calls an unknown method", "tools/unknown", {});
    await say("calls with params that are none", "tools/call", [] as never);
    await at.send("a batch", "/mcp", {
      body: [message("ping"), message("tools/call", calls("Plain_Add", { a: 1, b: 1 }))],
      headers: { ...BOTH, ...session },
    });
    await at.send("an answer to no question", "/mcp", {
      body: { jsonrpc: "2.0", id: 99, result: {} },
      headers: { ...BOTH, ...session },
    });
    await at.send("JSON only", "/mcp", legacy("ping", undefined, { ...session, ...JSON_ONLY }));
    await at.send("ends the session", "/mcp", { method: "DELETE", headers: session });
    await say("goes on in the ended session", "ping");
  };

/** What the newest of them have in addition: questions, streams, and going on after a break. */
export async function mcpStreams(at: Transcript): Promise<void> {
  const session = await initialize(at, "2025-11-25", ASKED);
  const go = (method: string, params?: object) => legacy(method, params, session);
  /** Calls a tool that asks, and answers with a request of its own. */
  const asking = async (name: string, what: string, result: object) => {
    await at.stream(name, "/mcp", go("tools/call", calls("Talk_Ask", { what })), () =>
      at.quietly("/mcp", { body: { jsonrpc: "2.0", id: lastQuestion(), result }, headers: { ...BOTH, ...session } }),
    );
  };
  const lastQuestion = () => at.lastQuestion();
  await asking("asks for a form", "form", { action: "accept", content: { name: "Ada" } });
  await asking("asks, and is declined", "form", { action: "decline" });
  await asking("asks for a page", "page", { action: "accept" });
  await asking("asks for a sample", "sample", {
    role: "assistant",
    content: { type: "text", text: "Roses" },
    model: "poet-1",
    stopReason: "endTurn",
  });
  await asking("asks for roots", "roots", { roots: [{ uri: "file:///home", name: "home" }] });
  await at.stream(
    "is held open",
    "/mcp",
    go("tools/call", calls("Talk_Wait", { name: "legacy" }, { progressToken: 1 })),
    () => at.quietly("/mcp", go("tools/call", calls("Talk_LetGo", { name: "legacy" }))),
  );
  await at.listen(
    "hears of changes",
    "/mcp",
    { headers: { accept: "text/event-stream", ...session } },
    async () => {
      for (const kind of ["tools", "prompts", "resources"]) {
        await at.quietly("/mcp", go("tools/call", calls("Talk_Change", { of: kind })));
      }
    },
    /resources\/list_changed/,
  );
  await at.send("subscribes", "/mcp", go("resources/subscribe", { uri: "talk://news" }));
  await at.send("subscribes to nothing", "/mcp", go("resources/subscribe", { uri: "talk://nothing" }));
  await at.send("unsubscribes", "/mcp", go("resources/unsubscribe", { uri: "talk://news" }));
  await at.send(
    "a session that was never there",
    "/mcp",
    legacy("ping", undefined, { ...session, "mcp-session-id": "x" }),
  );
  await at.send("a stream of JSON only", "/mcp", { headers: { ...session, ...JSON_ONLY } });
  await at.send(
    "an unknown revision",
    "/mcp",
    legacy("initialize", { protocolVersion: "1999-01-01", capabilities: {}, clientInfo: { name: "x", version: "1" } }),
  );
  await at.send(
    "a header of another revision",
    "/mcp",
    legacy("ping", undefined, { ...session, "mcp-protocol-version": "1999-01-01" }),
  );
}

/** A client that only sends requests. */
export async function mcpBare(at: Transcript): Promise<void> {
  const say = (name: string, method: string, params?: object, headers: object = {}) =>
    at.send(name, "/mcp", { body: message(method, params), headers: headers as Record<string, string> });
  await say("tools", "tools/list");
  for (const [name, tool, args] of TOOL_CALLS) await say(name, "tools/call", calls(tool, args));
  await say("unknown method", "nothing");
  await say("tools of a page that is not there", "tools/list", { cursor: "nowhere" });
  for (const [name, body] of [
    ["no JSON", "{"],
    ["a text", '"x"'],
    ["an empty batch", "[]"],
    ["no method", '{"jsonrpc":"2.0","id":1}'],
    ["another JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ["params that are none", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}'],
    ["a call of nothing", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'],
  ] as const) {
    await at.send(name, "/mcp", { body });
  }
  await at.send("another type", "/mcp", { body: "{}", headers: { "content-type": "text/plain" } });
  await at.send("takes neither JSON nor streams", "/mcp", { body: message("ping"), headers: { accept: "text/html" } });
  await at.send("another method of HTTP", "/mcp", { method: "PUT", body: "{}" });
  await at.send("a toolkit's own endpoint", "/plain/mcp", { body: message("tools/list") });
  await at.send("a toolkit that is not there", "/nowhere/mcp", { body: message("tools/list") });
}
