/** What callers of a deployment are told of a tool's mistakes, and what only its log has. (On a developer's machine they get more.) */
import type { Transcript } from "../transcript.ts";
import type { Golden } from "../workers.ts";
import { BOTH, calls, message, modern } from "./mcp.ts";

const CALLS: readonly (readonly [name: string, tool: string, input: object])[] = [
  ["fails with all fields", "Plain.Fail", { how: "with all fields" }],
  ["fails by an exception", "Plain.Fail", { how: "by an exception" }],
  ["fails by a text that is thrown", "Plain.Fail", { how: "by a text" }],
  ["returns what it does not promise", "Plain.Broken", {}],
  ["takes too long", "Plain.Slow", {}],
  ["cannot be loaded", "Plain.Unloadable", {}],
  ["is unknown", "Plain.Missing", {}],
  ["lacks its requirements", "Needs.Everything", {}],
  ["asks a caller that cannot be asked", "Talk.Ask", { what: "form" }],
];

export const deployed = (golden: Golden) =>
  async function told(at: Transcript): Promise<void> {
    const { text } = await golden.makeKey({ scopes: ["*"] });
    const headers = { authorization: `Bearer ${text}` };
    for (const [name, tool, input] of CALLS) {
      const method = tool.replace(".", "_");
      const sent = calls(method, input);
      await at.send(`OXP, ${name}`, "/tools/call", { body: { request: { tool_id: tool, input } }, headers });
      await at.send(`OpenTool, ${name}`, "/opentool/call", {
        body: { jsonrpc: "2.0", method, params: input, id: "1" },
        headers,
      });
      await at.send(`OpenTool in a stream, ${name}`, "/opentool/streamCall", {
        body: { jsonrpc: "2.0", method, params: input, id: "1" },
        headers,
      });
      await at.send(`bare MCP, ${name}`, "/mcp", {
        body: message("tools/call", sent),
        headers: { ...BOTH, ...headers },
      });
      await at.send(`MCP 2026-07-28, ${name}`, "/mcp", modern("tools/call", sent, {}, headers));
    }
    const say = (name: string, method: string, params: object) =>
      at.send(name, "/mcp", modern(method, params, {}, headers));
    await say("a resource throws", "resources/read", { uri: "talk://people/Ada/pets/throw.json" });
    await say("a resource fails", "resources/read", { uri: "talk://people/Ada/pets/fault.json" });
    await say("a completion throws", "completion/complete", {
      ref: { type: "ref/prompt", name: "Talk_Greet" },
      argument: { name: "language", value: "throw" },
    });
    await say("a prompt lacks what it needs", "prompts/get", { name: "Talk_Greet" });
    await at.send("a callback to a private address", "/tools/call", {
      body: {
        request: { tool_id: "Plain.Point", input: {}, context: { callback: { url: "http://127.0.0.1:9/told" } } },
      },
      headers,
    });
    await at.send("events of a caller", "/mcp", modern("events/list", {}, {}, headers));
    await at.send("the text at /, with a key", "/", { headers });
    await at.send("the description of its API, with a key", "/openapi.json", { headers });
  };
