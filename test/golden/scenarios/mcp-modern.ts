/** MCP 2026-07-28: no session, questions in the result, subscriptions in one stream. */
import type { Answer, Transcript } from "../transcript.ts";
import { BOTH, calls, JSON_ONLY, MODERN, message, modern, TOOL_CALLS } from "./mcp.ts";

const ASKED = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

export async function mcpModern(at: Transcript): Promise<void> {
  const say = (name: string, method: string, params?: object, capabilities?: object, headers?: object, meta?: object) =>
    at.send(name, "/mcp", modern(method, params, capabilities, headers, meta));
  await say("discovers", "server/discover");
  await say("tools", "tools/list");
  await say("tools of a page that is not there", "tools/list", { cursor: "nowhere" });
  await say("prompts", "prompts/list");
  await say("resources", "resources/list");
  await say("templates", "resources/templates/list");
  for (const [name, tool, args] of TOOL_CALLS) await say(name, "tools/call", calls(tool, args));
  await say("reports, with a token", "tools/call", calls("Talk_Say"), {}, {}, { progressToken: "p" });
  await say(
    "reports, with a level",
    "tools/call",
    calls("Talk_Say"),
    {},
    {},
    { "io.modelcontextprotocol/logLevel": "debug" },
  );
  await say("gets a prompt", "prompts/get", { name: "Talk_Greet", arguments: { name: "Ada" } });
  await say("gets a prompt without what it needs", "prompts/get", { name: "Talk_Greet" });
  await say("reads a resource", "resources/read", { uri: "talk://news" });
  await say("reads two", "resources/read", { uri: "talk://people/Ada/pets/two.json" });
  await say("reads one by a path and a query", "resources/read", { uri: "talk://files/a/b.txt?lines=3" });
  await say("reads one that fails", "resources/read", { uri: "talk://people/Ada/pets/fault.json" });
  await say("reads a URI of no resource", "resources/read", { uri: "talk://nothing" });
  const completing = (ref: object, name: string, value: string, context?: object) => ({
    ...{ ref, argument: { name, value } },
    ...(context && { context: { arguments: context } }),
  });
  const prompt = { type: "ref/prompt", name: "Talk_Greet" };
  await say("completes an argument", "completion/complete", completing(prompt, "language", "E"));
  await say("completes, and throws", "completion/complete", completing(prompt, "language", "throw"));
  await say(
    "completes a variable",
    "completion/complete",
    completing({ type: "ref/resource", uri: "talk://people/{person}/pets/{pet}.json" }, "pet", "p", { person: "Ada" }),
  );
  await say("calls an unknown method", "nothing");
  await say("JSON only", "tools/call", calls("Talk_Say"), {}, JSON_ONLY);
  await say("names another method in its header", "tools/list", {}, {}, { "mcp-method": "prompts/list" });
  await say("names another tool in its header", "tools/call", calls("Plain_Point"), {}, { "mcp-name": "Plain_Add" });
  await say("has a header of another revision", "tools/list", {}, {}, { "mcp-protocol-version": "2025-11-25" });
  await at.send("is of a revision that is not there", "/mcp", {
    body: message("tools/list", {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    }),
    headers: { ...BOTH, "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" },
  });
  await at.send("has no capabilities", "/mcp", {
    body: message("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": MODERN } }),
    headers: { ...BOTH, "mcp-protocol-version": MODERN, "mcp-method": "tools/list" },
  });
  await at.send("is a batch", "/mcp", {
    body: [message("tools/list")],
    headers: { ...BOTH, "mcp-protocol-version": MODERN },
  });

  const answer = (first: Answer, key: string, response: object) => ({
    requestState: first.body?.result?.requestState,
    inputResponses: { [key]: response },
  });
  const ask = (what: string, more: object = {}) => ({ ...calls("Talk_Ask", { what }), ...more });
  const accepted = { action: "accept", content: { name: "Ada" } };
  // Both answers go with one state: two states are equal if they are made within one second, and else differ.
  const form = await say("asks for a form", "tools/call", ask("form"), ASKED);
  for (const [name, response] of [
    ["a form", accepted],
    ["a form that is declined", { action: "decline" }],
  ] as const) {
    await say(`gets the answer to ${name}`, "tools/call", ask("form", answer(form, "name", response)), ASKED);
  }
  for (const [name, what, key, response] of [
    ["a page", "page", "page", { action: "accept" }],
    ["a sample", "sample", "poem", { role: "assistant", content: { type: "text", text: "Roses" }, model: "poet-1" }],
    ["roots", "roots", "roots", { roots: [{ uri: "file:///home" }] }],
  ] as const) {
    const first = await say(`asks for ${name}`, "tools/call", ask(what), ASKED);
    await say(`gets the answer to ${name}`, "tools/call", ask(what, answer(first, key, response)), ASKED);
  }
  const first = await say("asks twice: the first", "tools/call", ask("twice"), ASKED);
  const second = await say(
    "asks twice: the second",
    "tools/call",
    ask("twice", answer(first, "name", accepted)),
    ASKED,
  );
  await say("asks twice: the end", "tools/call", ask("twice", answer(second, "more", { action: "cancel" })), ASKED);
  await say(
    "gets an answer that does not fit",
    "tools/call",
    ask("form", answer(first, "name", { action: "accept", content: { name: "A" } })),
    ASKED,
  );
  await say(
    "gets a state that it did not make",
    "tools/call",
    ask("form", { requestState: "nonsense", inputResponses: { name: accepted } }),
    ASKED,
  );
  await say("gets an answer without a state", "tools/call", ask("form", { inputResponses: { name: accepted } }), ASKED);

  await at.stream(
    "is held open",
    "/mcp",
    modern("tools/call", calls("Talk_Wait", { name: "modern" }), {}, {}, { progressToken: 1 }),
    () => at.quietly("/mcp", modern("tools/call", calls("Talk_LetGo", { name: "modern" }))),
  );
  await at.listen(
    "listens to changes",
    "/mcp",
    modern("subscriptions/listen", {
      notifications: { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["talk://news"] },
    }),
    async () => {
      for (const kind of ["tools", "prompts", "resources", "resource"]) {
        await at.quietly("/mcp", modern("tools/call", calls("Talk_Change", { of: kind })));
      }
    },
    /resources\/updated/,
  );
}
