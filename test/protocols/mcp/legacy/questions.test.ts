/**
 * Questions before 2026-07-28: the server's request on the call's stream, answered by a POST (2025-11-25, client/*).
 */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { call, EVERYTHING, handshake, mailboxOf, postMcp, request, streamed } from "../../../support/mcp.ts";
import type { Stream } from "../../../support/sse.ts";

const ask = (what: string, more = {}) => call("Talk_Ask", { what, ...more });

/** A client's response to a request of the server. */
async function respond(session: Record<string, string>, id: unknown, answer: object): Promise<number> {
  const response = await postMcp({ jsonrpc: "2.0", id, ...answer }, session);
  expect(await response.text()).toBe("");
  return response.status;
}

const ANN = { result: { action: "accept", content: { name: "Ann" } } };

async function callThatAsks(what: string, capabilities: object = EVERYTHING, revision?: string) {
  const session = await handshake(revision, capabilities);
  const stream = await streamed(ask(what), session);
  return { session, stream, question: await stream.nextData() };
}

const answers = async (stream: Stream) => (await stream.nextData()).result.structuredContent.answers;

describe("a question (2025-11-25, client/elicitation)", () => {
  // There is room for five at a time. A further one would wait for 30 seconds.
  it("may have a long answer, which takes room only until its call is over", { timeout: 25_000 }, async () => {
    const name = "x".repeat(1_000_000);
    for (let at = 0; at < 7; at++) {
      const { session, stream, question } = await callThatAsks("form");
      await respond(session, question.id, { result: { action: "accept", content: { name } } });
      expect((await answers(stream)).content.name).toHaveLength(1_000_000);
    }
  });

  it("is a request on the call's stream, and its answer is a separate POST", async () => {
    const { session, stream, question } = await callThatAsks("form");
    expect(question).toEqual({
      jsonrpc: "2.0",
      id: expect.any(String),
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "What is your name?",
        requestedSchema: {
          type: "object",
          properties: { name: { type: "string", description: "Your name." } },
          required: ["name"],
        },
      },
    });
    expect(await stream.isSilent(50)).toBe(true);
    expect(await respond(session, question.id, ANN)).toBe(202);
    expect(await answers(stream)).toEqual({ action: "accept", content: { name: "Ann" } });
    expect(await stream.next()).toBeUndefined();
  });

  it("has no mode in 2025-06-18, which knows forms only", async () => {
    const { session, stream, question } = await callThatAsks("form", { elicitation: {} }, "2025-06-18");
    expect(question.params).not.toHaveProperty("mode");
    await respond(session, question.id, ANN);
    expect((await answers(stream)).action).toBe("accept");
  });

  it("to visit a page has an id (URL Mode)", async () => {
    const { session, stream, question } = await callThatAsks("page");
    expect(question.params).toEqual({
      mode: "url",
      message: "Sign in.",
      url: "https://pay.example.com/1",
      elicitationId: expect.any(String),
    });
    await respond(session, question.id, { result: { action: "accept" } });
    expect(await answers(stream)).toEqual({ action: "accept", content: {} });
  });

  it("to the model, and for roots (client/sampling, client/roots)", async () => {
    const poem = { role: "assistant", content: { type: "text", text: "Roses" }, model: "m" };
    const sampling = await callThatAsks("sample");
    expect(sampling.question.method).toBe("sampling/createMessage");
    await respond(sampling.session, sampling.question.id, { result: poem });
    expect(await answers(sampling.stream)).toEqual(poem);

    const roots = await callThatAsks("roots");
    expect([roots.question.method, roots.question.params]).toEqual(["roots/list", undefined]);
    await respond(roots.session, roots.question.id, { result: { roots: [{ uri: "file:///a" }] } });
    expect(await answers(roots.stream)).toEqual([{ uri: "file:///a" }]);
  });

  it.each(["decline", "cancel"])("answered with %s reaches the tool", async (action) => {
    const { session, stream, question } = await callThatAsks("form");
    await respond(session, question.id, { result: { action } });
    expect(await answers(stream)).toEqual({ action });
  });

  it.each([{}, { result: null }])("answered with an error fails the call, also together with %j", async (beside) => {
    const { session, stream, question } = await callThatAsks("form");
    await respond(session, question.id, { error: { code: -1, message: "User rejected" }, ...beside });
    expect((await stream.nextData()).result.isError).toBe(true);
  });

  it("may be accepted with content of null if nothing is required", async () => {
    const { session, stream, question } = await callThatAsks("anything");
    await respond(session, question.id, { result: { action: "accept", content: null }, error: null });
    expect(await answers(stream)).toEqual({ action: "accept", content: {} });
  });

  describe.each([
    ["no object", { result: "yes" }],
    ["no action", { result: {} }],
    ["content that does not fit", { result: { action: "accept", content: { name: 7 } } }],
    ["null", { result: null }],
  ])("answered with %s", (_, answer) => {
    it("is asked again", async () => {
      const { session, stream, question } = await callThatAsks("form");
      await respond(session, question.id, answer);
      const again = await stream.nextData();
      expect([again.method, again.params]).toEqual(["elicitation/create", question.params]);
      expect(again.id).not.toBe(question.id);
      await respond(session, again.id, ANN);
      expect((await answers(stream)).content).toEqual({ name: "Ann" });
    });

    it("three times fails the call with a message for its caller, and is not logged as a server error", async () => {
      const said = vi.spyOn(console, "log");
      const { session, stream, question } = await callThatAsks("form");
      await respond(session, question.id, answer);
      await respond(session, (await stream.nextData()).id, answer);
      await respond(session, (await stream.nextData()).id, answer);
      const { isError, content } = (await stream.nextData()).result;
      expect([isError, content[0].text]).toEqual([true, 'The caller\'s answers do not fit the question "name"']);
      expect(await stream.next()).toBeUndefined();
      expect(said.mock.calls.flat().join("\n")).not.toContain('"error"');
      said.mockRestore();
    });
  });

  it("several at once are answered in any order", async () => {
    const { session, stream, question } = await callThatAsks("all");
    const questions = [question, await stream.nextData(), await stream.nextData(), await stream.nextData()];
    const byMethod = new Map(questions.map(({ params, method, id }) => [params?.mode ?? method, id]));
    expect(byMethod.size).toBe(4);
    await respond(session, byMethod.get("roots/list"), { result: { roots: [] } });
    await respond(session, byMethod.get("url"), { result: { action: "decline" } });
    await respond(session, byMethod.get("form"), ANN);
    await respond(session, byMethod.get("sampling/createMessage"), {
      result: { role: "assistant", content: { type: "text", text: "" }, model: "m" },
    });
    expect(await answers(stream)).toHaveLength(4);
  });

  it("several in sequence", async () => {
    const { session, stream, question } = await callThatAsks("two rounds");
    await respond(session, question.id, ANN);
    const second = await stream.nextData();
    expect(second.method).toBe("sampling/createMessage");
    expect(second.id).not.toBe(question.id);
    await respond(session, second.id, { result: { role: "assistant", content: [], model: "m" } });
    expect(await answers(stream)).toHaveLength(2);
  });

  it("comes after earlier messages", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const params = { name: "Talk_Ask", arguments: { what: "after a message" }, _meta: { progressToken: 1 } };
    const stream = await streamed(request("tools/call", params), session);
    const said = [await stream.nextData(), await stream.nextData(), await stream.nextData()];
    expect(said.map(({ method }) => method)).toEqual([
      "notifications/message",
      "notifications/progress",
      "elicitation/create",
    ]);
    await respond(session, said[2].id, ANN);
    expect((await answers(stream)).action).toBe("accept");
  });

  it("of a prompt and of a resource work alike", async () => {
    const session = await handshake("2025-11-25", EVERYTHING);
    const prompt = await streamed(request("prompts/get", { name: "Talk_AskFirst" }), session);
    await respond(session, (await prompt.nextData()).id, { result: { action: "decline" } });
    expect((await prompt.nextData()).result.messages[0].content.text).toBe("The user said decline.");
    const resource = await streamed(request("resources/read", { uri: "talk://secret" }), session);
    await respond(session, (await resource.nextData()).id, { result: { action: "cancel" } });
    expect((await resource.nextData()).result.contents[0].text).toBe("The user said cancel.");
  });
});

describe("an answer", () => {
  it("of another session does not count", async () => {
    const { session, stream, question } = await callThatAsks("form");
    const other = await handshake("2025-11-25", EVERYTHING);
    expect(await respond(other, question.id, { result: { action: "decline" } })).toBe(202);
    expect(await stream.isSilent(150)).toBe(true);
    await respond(session, question.id, ANN);
    expect((await answers(stream)).action).toBe("accept");
  });

  it("without a session does not count", async () => {
    const { session, stream, question } = await callThatAsks("form");
    expect(await respond({}, question.id, { result: { action: "decline" } })).toBe(202);
    expect(await stream.isSilent(150)).toBe(true);
    await respond(session, question.id, ANN);
    expect((await answers(stream)).action).toBe("accept");
  });

  it("counts once: the first", async () => {
    const { session, stream, question } = await callThatAsks("form");
    await respond(session, question.id, ANN);
    expect(await respond(session, question.id, { result: { action: "decline" } })).toBe(202);
    expect((await answers(stream)).action).toBe("accept");
  });

  it("to no question is never stored, whatever its size", async () => {
    const { session, stream, question } = await callThatAsks("form");
    const large = { result: { action: "accept", content: { name: "x".repeat(900_000) } } };
    const forged = () => `ask-${crypto.randomUUID()}`;
    for (const id of [forged(), forged(), `${question.id.slice(0, -4)}0000`])
      expect(await respond(session, id, large)).toBe(202);
    expect(await stream.isSilent(50)).toBe(true);
    await runInDurableObject(mailboxOf(session), (_, state) => {
      expect(state.storage.sql.databaseSize).toBeLessThan(200_000);
    });
    await respond(session, question.id, ANN);
    expect((await answers(stream)).action).toBe("accept");
  });

  it.each([
    ["an id of no question", "ask-00000000-0000-0000-0000-000000000000"],
    ["any id", "x"],
    ["a number", 1],
  ])("to %s is accepted and forgotten (Sending Messages: 202)", async (_, id) => {
    expect(await respond(await handshake(), id, ANN)).toBe(202);
  });
});

describe("a tool that asks and does not wait for the answer", () => {
  it.each([1, 2])("gets its result, and asks nothing after that (time %i)", async () => {
    const session = await handshake(undefined, EVERYTHING);
    const response = await postMcp(call("Talk_AskAndGo", {}), session);
    const said = await response.text();
    expect(said).toContain('"gone"');
    expect(said.slice(said.indexOf('"gone"'))).not.toContain("elicitation/create");
  });
});
