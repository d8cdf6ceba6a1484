/** The client's model with tools (2025-11-25 and 2026-07-28, client/sampling): what it is sent, what it may answer. */
import { describe, expect, it } from "vitest";
import { BOTH, call, handshake, mcp, postMcp, streamed } from "../../support/mcp.ts";
import { callModern, modern } from "../../support/modern-client.ts";
import { rpc } from "../../support/opentool.ts";

const WITH_TOOLS = { sampling: { tools: {} } };
const QUESTION = { question: "What are an apple and a pear?" };
const asked = { role: "user", content: [{ type: "text", text: QUESTION.question }] };
const use = (id: string, fruit: string) => ({ type: "tool_use", id, name: "price_of", input: { fruit } });
const result = (toolUseId: string, text: string, isError?: true) => ({
  ...{ type: "tool_result", toolUseId, ...(isError && { isError }) },
  content: [{ type: "text", text }],
});
/** `_meta` goes back with the next request: "to enable caching optimizations". */
const USES = [{ type: "text", text: "Let me see." }, { ...use("u1", "apple"), _meta: { cache: 1 } }, use("u2", "plum")];
const wants = { role: "assistant", content: USES, model: "m", stopReason: "toolUse" };
const says = (text: string) => ({ role: "assistant", content: { type: "text", text }, model: "m", stopReason: null });
const REQUEST = {
  messages: [asked],
  maxTokens: 100,
  modelPreferences: { hints: [{ name: "haiku" }], costPriority: 1, speedPriority: 0.5, intelligencePriority: 0 },
  metadata: { user: "u-1" },
  stopSequences: ["END"],
  tools: [
    {
      name: "price_of",
      description: "The price of a fruit.",
      inputSchema: { type: "object", properties: { fruit: { type: "string" } }, required: ["fruit"] },
    },
  ],
  toolChoice: { mode: "auto" },
};
const FOLLOW_UP = [
  asked,
  { role: "assistant", content: USES },
  { role: "user", content: [result("u1", "2 €"), result("u2", "There is no such fruit", true)] },
];

const respond = async (session: Record<string, string>, id: unknown, sampled: object) =>
  expect((await postMcp({ jsonrpc: "2.0", id, result: sampled }, session)).status).toBe(202);

async function live(args: object) {
  const session = await handshake("2025-11-25", WITH_TOOLS);
  return { session, stream: await streamed(call("Talk_Prices", args), session) };
}

/** A round of 2026-07-28, with the answer to the question of the round before. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
async function round(args: object, before?: any, sampled?: object) {
  const inputResponses = before && Object.fromEntries(Object.keys(before.inputRequests).map((name) => [name, sampled]));
  const more = before && { inputResponses, requestState: before.requestState };
  const { body } = await modern(
    "tools/call",
    { name: "Talk_Prices", arguments: args, ...more },
    { capabilities: WITH_TOOLS },
  );
  return body.result;
}

describe("a model that uses a tool's function", () => {
  it("is asked with preferences and tools, and again with their results, during the call", async () => {
    const { session, stream } = await live(QUESTION);
    const first = await stream.nextData();
    expect([first.method, first.params]).toEqual(["sampling/createMessage", REQUEST]);
    await respond(session, first.id, wants);
    const second = await stream.nextData();
    expect(second.params).toEqual({ ...REQUEST, messages: FOLLOW_UP });
    await respond(session, second.id, says("2 €, and none"));
    expect((await stream.nextData()).result.structuredContent).toEqual({ text: "2 €, and none", stopReason: null });
  });

  it("is asked in rounds in 2026-07-28", async () => {
    const first = await round(QUESTION);
    expect(first.inputRequests).toEqual({ answer: { method: "sampling/createMessage", params: REQUEST } });
    const second = await round(QUESTION, first, wants);
    const params = { ...REQUEST, messages: FOLLOW_UP };
    expect(second.inputRequests).toEqual({ "answer#2": { method: "sampling/createMessage", params } });
    const last = await round(QUESTION, second, { ...says("2 €"), stopReason: "endTurn" });
    expect(last.structuredContent).toEqual({ text: "2 €", stopReason: "endTurn" });
  });

  it("must not use a tool when the choice is none", async () => {
    const args = { ...QUESTION, most: 0 };
    const first = await round(args);
    expect(first.inputRequests.answer.params.toolChoice).toEqual({ mode: "none" });
    // Asked again.
    expect(Object.keys((await round(args, first, wants)).inputRequests)).toEqual(["answer"]);
    expect((await round(args, first, says("A lot"))).structuredContent.text).toBe("A lot");
  });
});

describe.each<[string, object]>([
  ["a tool that was not offered", { ...wants, content: { ...use("u1", "apple"), name: "rm" } }],
  ["a use without an id", { ...wants, content: [{ ...use("u1", "apple"), id: undefined }] }],
  ["a use without input", { ...wants, content: [{ ...use("u1", "apple"), input: "apple" }] }],
  ["a result, which is ours to give", { ...wants, content: [result("u1", "2 €")] }],
  ["text without text", { ...wants, content: [{ type: "text" }] }],
  ["a picture without data", { ...wants, content: { type: "image", mimeType: "image/png" } }],
  ["a list in a list", { ...wants, content: [[{ type: "text", text: "" }]] }],
  ["no content", { role: "assistant", model: "m" }],
  ["a role that there is not", { ...wants, role: "system" }],
  ["no model", { ...wants, model: undefined }],
])("an answer with %s", (_, answer) => {
  it("does not reach the tool, and is asked for again", async () => {
    const first = await round(QUESTION);
    const again = await round(QUESTION, first, answer);
    expect(again.inputRequests).toEqual(first.inputRequests);
  });
});

it("three answers that do not fit fail the call, with a message that names the question", async () => {
  const { session, stream } = await live(QUESTION);
  for (let time = 0; time < 3; time++) await respond(session, (await stream.nextData()).id, { role: "assistant" });
  const { isError, content } = (await stream.nextData()).result;
  expect([isError, content[0].text]).toEqual([true, 'The caller\'s answers do not fit the question "answer"']);
});

describe('a client without tools ("Servers MUST NOT send tool-enabled sampling requests")', () => {
  const capabilities = { sampling: {}, elicitation: {} };

  it("is told which capability is missing", async () => {
    const { status, body } = await callModern("Talk_Prices", QUESTION, { capabilities });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: { tools: {} } } } });
    expect(body.error.message).toContain("sampling with tools");
  });

  it("is told in a result before 2026-07-28, and a declaration counts only in revisions that have it", async () => {
    for (const [can, revision] of [
      [capabilities, "2025-11-25"],
      [WITH_TOOLS, "2025-06-18"],
    ] as const) {
      const session = await handshake(revision, can);
      const { isError, content } = (await mcp(call("Talk_Prices", QUESTION), { ...BOTH, ...session })).body.result;
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining("sampling with tools")]);
    }
  });

  it("is one that the tool can know", async () => {
    const can = async (declared: object) =>
      (await callModern("Talk_Ask", { what: "what it can" }, { capabilities: declared })).body.result;
    expect((await can({ sampling: {} })).inputRequests.poem.params).not.toHaveProperty("tools");
    const abilities = (await callModern("Talk_Who", {}, { capabilities: WITH_TOOLS })).body.result;
    expect(abilities.structuredContent.capabilities).toEqual(["sample", "sample-tools"]);
  });

  it("of another protocol gets the question as an error", async () => {
    const { body } = await rpc("Talk_Prices", QUESTION);
    expect(body.error).toMatchObject({ code: 400, message: expect.stringContaining("the caller's model") });
  });
});

it("sends one content per message in revisions before 2025-11-25, which have no lists", async () => {
  const session = await handshake("2025-06-18", { sampling: {} });
  const stream = await streamed(call("Talk_Ask", { what: "long talk" }), session);
  const text = (said: string) => ({ type: "text", text: said });
  expect((await stream.nextData()).params.messages).toEqual([
    { role: "user", content: text("Hello.") },
    { role: "user", content: text("Who are you?") },
    { role: "assistant", content: text("A poet.") },
  ]);
});
